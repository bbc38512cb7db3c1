// SPDX-License-Identifier: Apache-2.0
// Sentences of the server advise what is done on a command line.  Where the page
// does the same, that is said instead.
import { t, type Key } from '../text/text';

const advices: [string, Key][] = [
  ['(weft index add)', 'advice.index'],
  ['"weft check" of the file shows by which tasks', 'advice.check'],
];

export const advised = (sentence: string): string =>
  advices.reduce((said, [command, here]) => said.replace(command, () => t(here)), sentence);
