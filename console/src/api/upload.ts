// SPDX-License-Identifier: Apache-2.0
// Files: fetch() cannot say how much was sent, so XMLHttpRequest sends them.
import { api, Problem, session, type Schema } from './client';

/** Where what a document holds is read. */
export const contentOf = (document: number): string => api.address('/v1/documents/{document}/content', { document });

/** Sends a file; `progress` gets the part that was sent, 0 to 1. */
export function upload(target: string, file: File, progress: (part: number) => void): Promise<Schema['Document']> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const what = `POST ${target}`;
    request.open('POST', target);
    request.responseType = 'json';
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('Content-Type', file.type || 'application/octet-stream');
    const token = session.value?.csrf_token;
    if (token !== undefined) request.setRequestHeader('X-CSRF-Token', token);
    request.upload.onprogress = (event) => { if (event.lengthComputable) progress(event.loaded / event.total); };
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve(request.response as Schema['Document']);
      else {
        if (request.status === 401) session.value = null;
        reject(new Problem(request.status, (request.response as Partial<Schema['Problem']> | null) ?? { title: `HTTP ${request.status}` }, what));
      }
    };
    request.onerror = () => reject(new Problem(0, { title: 'unreachable' }, what));
    // Nothing of the page does; who presses Escape while it is sent may.
    request.onabort = () => reject(new Problem(0, { title: 'aborted', code: 'aborted' }, what));
    request.send(file);
  });
}
