// SPDX-License-Identifier: Apache-2.0
// The frame around all views: sections, where one is, search, live, account.
import { computed, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { reachable, session } from '../api/client';
import { live } from '../api/stream';
import { language, languages, t, type Language } from '../text/text';
import { Menu } from '../ui/control';
import { Icon } from '../ui/icons';
import { attempt, Asked, Toasts } from '../ui/message';
import { useOpenIncidents } from '../views/incidents/count';
import { Tray } from '../views/operations/tray';
import { sections, visible } from '../views/views';
import { counts } from '../app/counts';
import { crumbs } from '../app/crumbs';
import { PasswordDialog } from './password';
import { readCount } from '../views/work/live';
import { preference, setPreference, type Theme } from '../app/preferences';
import { go, section } from '../app/router';
import { Search } from './search';
import { mayAnywhere, signOut } from '../app/session';

const seconds = signal(0);
setInterval(() => (seconds.value = live.value.lost > 0 ? Math.round((Date.now() - live.value.since) / 1000) : 0), 1000);

const liveState = computed(() => (live.value.wanted === 0 ? 'off' : live.value.lost > 0 ? 'lost' : 'on'));

function LiveDot() {
  const state = liveState.value;
  if (state === 'off') return null;
  const text = state === 'on' ? t('frame.live.on') : t('frame.live.lost', { n: seconds.value });
  return (
    <span class={`live-dot ${state}`} title={text} role="status">
      <span class={state === 'on' ? 'sr-only' : ''}>{text}</span>
    </span>
  );
}

function AccountMenu() {
  const [changing, setChanging] = useState(false);
  const who = session.value?.account ?? '';
  return (
    <>
    <Menu label={`${t('frame.account')}: ${who}`} icon="account">
      <div class="column" style={{ padding: '8px', gap: '12px' }}>
        <div class="strong words">{who}</div>
        <label class="field"><span class="label">{t('frame.theme')}</span>
          <select value={preference<Theme>('theme', 'system')} onChange={(e) => setPreference('theme', e.currentTarget.value)}>
            <option value="system">{t('frame.theme.system')}</option>
            <option value="light">{t('frame.theme.light')}</option>
            <option value="dark">{t('frame.theme.dark')}</option>
          </select>
        </label>
        <label class="field"><span class="label">{t('frame.density')}</span>
          <select value={preference('density', 'normal')} onChange={(e) => setPreference('density', e.currentTarget.value)}>
            <option value="normal">{t('frame.density.normal')}</option>
            <option value="compact">{t('frame.density.compact')}</option>
          </select>
        </label>
        <label class="field"><span class="label">{t('frame.language')}</span>
          <select value={language.value} onChange={(e) => setPreference('language', e.currentTarget.value as Language)}>
            {languages.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
          </select>
        </label>
      </div>
      <button type="button" onClick={() => setChanging(true)}>{t('frame.password')}</button>
      <button type="button" onClick={() => void attempt(signOut)}>{t('frame.signOut')}</button>
    </Menu>
    {changing && <PasswordDialog onClose={() => setChanging(false)} />}
    </>
  );
}

function Rail() {
  const wide = preference('rail.wide', false);
  const root = useRef<HTMLElement>(null);
  const shown = section.value;
  // On a narrow screen the sections scroll sideways.
  useEffect(() => root.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [shown]);
  return (
    <nav ref={root} class={`rail ${wide ? 'wide' : ''}`} aria-label={t('frame.navigation')}>
      <button type="button" class="widen" aria-label={t('frame.open')} aria-expanded={wide} onClick={() => setPreference('rail.wide', !wide)}>
        <Icon name="widen" />
        {wide && <span class="name strong">Weft</span>}
      </button>
      {sections.filter((one) => visible(one) && one.below === undefined).map((one) => (
        <a key={one.id} href={`/${one.id}`} title={wide ? undefined : t(one.label)} {...(section.value === one.id || sections.some((other) => other.id === section.value && other.below === one.id) ? { 'aria-current': 'page' as const } : {})}>
          <Icon name={one.icon} />
          <span class="name">{t(one.label)}</span>
          {(counts.value[one.id] ?? 0) > 0 && <span class={`count ${one.id === 'incidents' ? 'failed' : ''}`}>{counts.value[one.id]! > 99 ? '99+' : counts.value[one.id]}</span>}
        </a>
      ))}
    </nav>
  );
}

export function Frame({ children }: { children: ComponentChildren }) {
  const shown = section.value;
  useEffect(() => { if (shown !== 'work') void readCount().catch(() => undefined); }, [shown]);
  useOpenIncidents();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || (event.target as Element).closest('input, textarea, select, [contenteditable]')) return;
      event.preventDefault();
      document.querySelector<HTMLElement>('#search')?.focus();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  return (
    <div class="frame">
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); document.querySelector<HTMLElement>('#content')?.focus(); }}>{t('frame.skip')}</a>
      <Rail />
      <header class="bar">
        <nav class="crumbs" aria-label={t('frame.place')}>
          <ol>
            {crumbs.value.map((part, index) => (
              <li key={index}>{part.href !== undefined && index < crumbs.value.length - 1 ? <a href={part.href}>{part.label}</a> : <span title={part.label}>{part.label}</span>}</li>
            ))}
          </ol>
        </nav>
        <LiveDot />
        <Search />
        <AccountMenu />
      </header>
      {!reachable.value && <div class="unreachable" role="alert">{t('frame.unreachable')}</div>}
      <main class="content" id="content" tabIndex={-1} data-scroll="main">
        {children}
      </main>
      <Toasts />
      <Tray />
      <Asked />
    </div>
  );
}

/**
 * The first view: the one used last, else work for who reads nothing of others,
 * else the first that the account may see.
 */
export function goHome(): void {
  const last = preference<string | undefined>('last', undefined);
  const seen = sections.filter(visible);
  const home = seen.find((one) => one.id === last) ?? seen.find((one) => one.id === 'work' && !mayAnywhere('read')) ?? seen[0];
  if (home) go(`/${home.id}`, 'replace');
}
