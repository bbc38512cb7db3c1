// SPDX-License-Identifier: Apache-2.0
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

const here = fileURLToPath(new URL('.', import.meta.url));

// The folders of src from the lowest to the highest: each imports those before
// it, and none behind it.  A view that is not named here is above all of these,
// and imports no other such view.  Above the views are frame/, views/views and main.
const layers = [
  'text', 'api', 'app', 'ui', 'form', 'picture',
  'views/shared', 'views/operations', 'views/incidents', 'views/case', 'views/cases',
];
const views = readdirSync(path.join(here, 'src/views'), { withFileTypes: true })
  .filter((one) => one.isDirectory() && !layers.includes(`views/${one.name}`)).map((one) => `views/${one.name}`);
const highest = ['frame', 'views/views', 'main'];

const above = (folder) => [...layers.slice(layers.includes(folder) ? layers.indexOf(folder) + 1 : layers.length), ...views.filter((view) => view !== folder), ...highest];
const order = [...layers, ...views].map((folder) => ({
  files: [`src/${folder}/**/*.{ts,tsx}`],
  rules: {
    'no-restricted-imports': ['error', {
      patterns: [{
        regex: `^(${above(folder).map((other) => path.posix.relative(folder, other).replaceAll('.', '\\.')).join('|')})(/|$)`,
        message: `What ${folder} needs is in a folder below it (README.md).`,
      }],
    }],
  },
}));

export default tseslint.config(
  { ignores: ['dist', 'dist-tests', 'node_modules', 'src/api/schema.d.ts'] },
  {
    files: ['src/**/*.{ts,tsx}', 'tests/**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: here },
    },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // What comes from a process, a case or a service is text, never markup.
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'srcdoc', 'dangerouslySetInnerHTML'].map((property) => ({
          property,
          message: 'Text of others is never markup.',
        })),
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'JSXAttribute[name.name=/^(dangerouslySetInnerHTML|srcdoc|srcDoc)$/]',
          message: 'Text of others is never markup.',
        },
      ],
      '@typescript-eslint/no-floating-promises': ['error', { allowForKnownSafeCalls: [{ from: 'package', name: 'test', package: 'node:test' }] }],
      eqeqeq: 'error',
    },
  },
  ...order,
);
