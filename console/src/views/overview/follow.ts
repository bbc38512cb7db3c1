// SPDX-License-Identifier: Apache-2.0
// Reading an answer that the server keeps for a moment until it is one that was
// made after a change.
//
//     change ──► read ──made before?──2.2 s──► read ..
//
// The server makes an overview anew two seconds after the last; who asks first
// for an old one waits for it, and others get the old one meanwhile, up to eight
// seconds.

const KEPT_MS = 2200;
const READS_MOST = 6;
/** An answer says in whole seconds when it was given. */
const SECOND_MS = 1000;

/** When an answer was given, and when what it says was made, by the server's clock. */
export interface Made {
  answered: number;
  made: number;
}

/** `read` gives nothing when it failed, or when a later one is on its way. */
export function follow(read: () => Promise<Made | undefined>): { changed: () => void; stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let change = 0;
  const once = async (mine: number, reads: number, after?: number): Promise<void> => {
    const got = await read();
    if (mine !== change || !got) return;
    // What is made after the first answer has all that came before it was asked for.
    const needed = after ?? got.answered + SECOND_MS;
    if (got.made < needed && reads < READS_MOST) timer = setTimeout(() => void once(mine, reads + 1, needed), KEPT_MS);
  };
  const stop = () => {
    clearTimeout(timer);
    change++;
  };
  return {
    changed: () => {
      stop();
      void once(change, 1);
    },
    stop,
  };
}
