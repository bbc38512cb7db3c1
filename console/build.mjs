// SPDX-License-Identifier: Apache-2.0
// Bundles the page into dist/ (index.html, assets/NAME-HASH.*); with --tests
// the tests into dist-tests/.
import * as esbuild from 'esbuild';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

const common = {
  bundle: true,
  format: 'esm',
  target: ['es2022'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
};

/**
 * Each view that is fetched later says that it needs the page itself, which is
 * there by then: so all that the page has is one file, and not one for each set
 * of views that share something.
 */
const views = {
  name: 'views',
  setup(build) {
    build.onLoad({ filter: /\/src\/views\/.*\.tsx$/ }, async ({ path: file }) =>
      /\/views\/([a-z-]+)\/\1\.tsx$/.test(file) ? { contents: `import '../../main';\n${await readFile(file, 'utf8')}`, loader: 'tsx' } : undefined);
  },
};

/** What the browser runs, with index.html that names it. */
async function page() {
  await rm('dist', { recursive: true, force: true });
  const result = await esbuild.build({
    ...common,
    entryPoints: { console: 'src/main.tsx' },
    outdir: 'dist/assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    splitting: true,
    minify: true,
    legalComments: 'none',
    metafile: true,
    plugins: [views],
    // Chromium then compiles while it fetches, and not when a function is called.
    banner: { js: '//# allFunctionsCalledOnLoad' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const outputs = Object.entries(result.metafile.outputs);
  const [script, entry] = outputs.find(([, o]) => o.entryPoint === 'src/main.tsx');
  // That of the page has the styles of all views; those of each would be twice there.
  for (const [file] of outputs) if (file.endsWith('.css') && file !== entry.cssBundle) await rm(file);
  const address = (file) => '/' + path.relative('dist', file).split(path.sep).join('/');
  const template = await readFile('src/index.html', 'utf8');
  await writeFile(
    'dist/index.html',
    template
      .replace('{script}', address(script))
      .replace('{style}', address(entry.cssBundle))
      .replace('{first}', entry.imports.filter((one) => one.kind === 'import-statement').map((one) => `<link rel="modulepreload" href="${address(one.path)}">`).join('\n')),
  );
  await writeFile('meta.json', JSON.stringify(result.metafile));
}

async function tests() {
  await rm('dist-tests', { recursive: true, force: true });
  await mkdir('dist-tests');
  const files = (await readdir('tests')).filter((name) => name.endsWith('.test.ts') || name.endsWith('.test.tsx'));
  await esbuild.build({
    ...common,
    entryPoints: files.map((name) => path.join('tests', name)),
    inject: ['tests/globals.ts'],
    outdir: 'dist-tests',
    platform: 'node',
    outExtension: { '.js': '.mjs' },
  });
  await esbuild.build({
    ...common,
    entryPoints: ['tests/bench/run.ts'],
    outbase: 'tests',
    outdir: 'dist-tests',
    platform: 'node',
    packages: 'external',
    outExtension: { '.js': '.mjs' },
  });
  // The files of stories, by their names, and then what runs them.
  const stories = (await readdir('tests/browser')).filter((name) => name.endsWith('.story.ts')).sort();
  await esbuild.build({
    ...common,
    stdin: {
      contents: [...stories, 'run.ts'].map((name) => `import './${name}';`).join('\n'),
      resolveDir: 'tests/browser',
      loader: 'ts',
    },
    outfile: 'dist-tests/browser/run.mjs',
    platform: 'node',
    packages: 'external',
  });
}

await (process.argv.includes('--tests') ? tests() : page());
