// SPDX-License-Identifier: Apache-2.0
// Words by which a list is found: in the address when the person rests.
import { useEffect, useRef, useState } from 'preact/hooks';
import { argument, setQuery } from './router';

const TYPING_MS = 300;

/** What is typed, and how to type on; the address has it as `name`. */
export function useTyped(name: string): [string, (text: string) => void] {
  const set = argument(name) ?? '';
  const [text, setText] = useState(set);
  // What this has written there is not taken back: one may have typed on meanwhile.
  const written = useRef(set);
  useEffect(() => {
    if (set === written.current) return;
    written.current = set;
    setText(set);
  }, [set]);
  useEffect(() => {
    if (text.trim() === set) return;
    const timer = setTimeout(() => {
      written.current = text.trim();
      setQuery({ [name]: written.current });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return [text, setText];
}
