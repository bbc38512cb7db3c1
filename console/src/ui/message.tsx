// SPDX-License-Identifier: Apache-2.0
// What the page says about reading and doing: loading, failures, messages,
// and the question before what cannot be undone.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { commanded } from '../app/changes';
import { Problem } from '../api/client';
import type { Resource } from '../api/resource';
import { t } from '../text/text';
import { advised } from './advice';

/** Why something was not done, in words. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Problem)) return String(error);
  return error.code === 'unreachable' ? t('error.unreachable') : error.code === 'aborted' ? t('error.aborted') : advised(error.message);
}

const FORBIDDEN = 403;

/** Why something could not be read, or done; who may not see it is not asked to try again. */
export function Failure({ error, again, what }: { error: Problem; again?: () => void; what?: string }) {
  if (error.status === FORBIDDEN && what === undefined) return <Empty><span title={reasonOf(error)}>{t('frame.forbidden')}</span></Empty>;
  return (
    <div class="notice failed column" role="alert">
      <div class="strong">{what ?? t('error.tried')}</div>
      <div class="words">{reasonOf(error)}</div>
      <details class="small muted">
        <summary>{t('common.details')}</summary>
        <pre class="words">
          {`${t('error.request')}: ${error.request}\n${t('error.code')}: ${error.status} ${error.code}`}
        </pre>
      </details>
      {again && (
        <div>
          <button type="button" class="button" onClick={again}>
            {t('common.retry')}
          </button>
        </div>
      )}
    </div>
  );
}

/** Shows a resource: its frame while it is read, why it failed, or itself. */
export function Await<T>({ of, lines = 6, children }: { of: Resource<T>; lines?: number; children: (data: T) => ComponentChildren }) {
  const data = of.data.value;
  const error = of.error.value;
  if (data !== undefined)
    return (
      <>
        {error && <Failure error={error} again={() => void of.reload()} />}
        {children(data)}
      </>
    );
  if (error) return <Failure error={error} again={() => void of.reload()} />;
  return <Skeleton lines={lines} />;
}

export function Skeleton({ lines = 6 }: { lines?: number }) {
  return (
    <div class="column" role="status" aria-label={t('common.loading')}>
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} class="skeleton" style={{ height: '20px', width: `${90 - ((i * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

// --- messages that go away ---------------------------------------------------

interface Toast {
  id: number;
  text: string;
  failed: boolean;
  undo?: () => void;
}
const toasts = signal<Toast[]>([]);
let number = 0;

function add(toast: Omit<Toast, 'id'>, milliseconds: number): void {
  const id = ++number;
  toasts.value = [...toasts.value.slice(-3), { ...toast, id }];
  setTimeout(() => drop(id), milliseconds);
}
const drop = (id: number) => (toasts.value = toasts.value.filter((toast) => toast.id !== id));

/** Says that something was done, and offers to undo it if that is possible. */
export function say(text: string, undo?: () => void): void {
  add(undo ? { text, failed: false, undo } : { text, failed: false }, undo ? 10_000 : 5_000);
}

/** Says why something cannot be done now; pressed again, it is not said twice. */
export function explain(reason: string): void {
  if (!toasts.value.some((toast) => toast.text === reason)) add({ text: reason, failed: true }, 8_000);
}

/** Says why something was not done. */
export function complain(error: unknown): void {
  add({ text: reasonOf(error), failed: true }, 12_000);
}

/** Does a command, and says what came of it; true when it was done.  `refused` says it at another place. */
export async function attempt(command: () => Promise<unknown>, done?: string, refused: (failure: unknown) => unknown = complain): Promise<boolean> {
  try {
    await command();
    commanded();
    if (done !== undefined) say(done);
    return true;
  } catch (failure) {
    await refused(failure);
    return false;
  }
}

export function Toasts() {
  const root = useRef<HTMLDivElement>(null);
  const count = toasts.value.length;
  // Above a dialog that is open: what is shown last is on top.
  useEffect(() => {
    root.current?.hidePopover?.();
    if (count > 0) root.current?.showPopover?.();
  }, [count]);
  return (
    <div ref={root} class="toasts" role="status" aria-live="polite" popover="manual">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={`toast ${toast.failed ? 'failed' : ''}`}>
          <span class="grow words">{toast.text}</span>
          {toast.undo && (
            <button type="button" class="button plain" onClick={() => { drop(toast.id); toast.undo?.(); }}>
              {t('common.undo')}
            </button>
          )}
          <button type="button" class="button plain icon" aria-label={t('common.close')} onClick={() => drop(toast.id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}

// --- dialogs -----------------------------------------------------------------

export function Dialog({ title, wide = false, onClose, children, foot }: { title: string; wide?: boolean; onClose: () => void; children: ComponentChildren; foot?: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => (before instanceof HTMLElement ? before.focus() : undefined);
  }, []);
  return (
    <dialog ref={dialog} class={wide ? 'wide' : ''} aria-label={title} onCancel={(event) => { event.preventDefault(); onClose(); }}>
      <div class="dialog-head"><h2 class="words">{title}</h2></div>
      <div class="dialog-body">{children}</div>
      {foot && <div class="dialog-foot">{foot}</div>}
    </dialog>
  );
}

interface Question {
  /** What will happen, in a sentence. */
  text: string;
  detail?: ComponentChildren;
  /** The verb on the button. */
  verb: string;
  /** A number to type in first: for what is done to many. */
  count?: number;
  danger?: boolean;
  /** Whether a reason is asked for, and must be given. */
  reason?: 'optional' | 'required';
  answer: (reason: string | undefined) => void;
  refuse: () => void;
}
const question = signal<Question | undefined>(undefined);
/** From so many on, their number is typed in. */
export const MANY = 100;

/**
 * Asks before what cannot be undone.  Undefined: not to be done; else the
 * reason, perhaps empty.  A question that is still open is answered with no.
 */
export function ask(about: Omit<Question, 'answer' | 'refuse'>): Promise<string | undefined> {
  question.value?.refuse();
  return new Promise((resolve) => {
    question.value = {
      ...about,
      answer: (reason) => { question.value = undefined; resolve(reason ?? ''); },
      refuse: () => { question.value = undefined; resolve(undefined); },
    };
  });
}

export function Asked() {
  const asked = question.value;
  return asked ? <AskedDialog key={asked.text} asked={asked} /> : null;
}

function AskedDialog({ asked }: { asked: Question }) {
  const [typed, setTyped] = useState('');
  const [reason, setReason] = useState('');
  const number = asked.count !== undefined && asked.count >= MANY ? String(asked.count) : undefined;
  const ready = (number === undefined || typed === number) && (asked.reason !== 'required' || reason.trim() !== '');
  return (
    <Dialog
      title={asked.text}
      onClose={asked.refuse}
      foot={
        <>
          <button type="button" class="button" onClick={asked.refuse}>{t('common.back')}</button>
          <button type="button" class={`button primary ${asked.danger ? 'danger' : ''}`} disabled={!ready} onClick={() => asked.answer(reason.trim())}>{asked.verb}</button>
        </>
      }
    >
      {asked.detail}
      {asked.reason && (
        <div class="field">
          <label for="asked-reason">{t('common.reason')}</label>
          <input id="asked-reason" value={reason} maxLength={1000} onInput={(e) => setReason(e.currentTarget.value)} />
        </div>
      )}
      {number !== undefined && (
        <div class="field">
          <label for="asked-number">{t('common.typeNumber', { n: number })}</label>
          <input id="asked-number" inputMode="numeric" autocomplete="off" value={typed} onInput={(e) => setTyped(e.currentTarget.value)} />
        </div>
      )}
    </Dialog>
  );
}
