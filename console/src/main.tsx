// SPDX-License-Identifier: Apache-2.0
import { options, render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { session, Problem } from './api/client';
import { Frame, goHome } from './frame/frame';
import { areOthers, readPreferences, setPreference, spoken, startPreferences } from './app/preferences';
import { section, startRouter } from './app/router';
import { openSession, ticketGiven } from './app/session';
import './styles/base.css';
import './styles/frame.css';
import { t } from './text/text';
import { Empty, Failure } from './ui/message';
import { startClock } from './ui/time';
import { SignIn } from './views/sign-in/sign-in';
import { sections, visible } from './views/views';
import { signal } from '@preact/signals';

const failure = signal<Problem | undefined>(undefined);
/** Who has signed in since the page was opened. */
let known: string | undefined;

async function open(): Promise<void> {
  try {
    failure.value = undefined;
    await openSession();
  } catch (error) {
    failure.value = Problem.of(error);
  }
}

function Page() {
  const id = section.value;
  const found = sections.find((one) => one.id === id);
  useEffect(() => {
    if (id === '' || id === 'sign-in') goHome();
    else if (found) setPreference('last', id);
  }, [id, found]);
  if (id === '' || id === 'sign-in') return null;
  if (!found) return <Empty>{t('frame.notFound')}</Empty>;
  if (!visible(found)) return <Empty>{t('frame.forbidden')}</Empty>;
  return <found.view key={found.id} />;
}

function App() {
  if (failure.value) return <main class="sign-in"><Failure error={failure.value} again={() => void open()} /></main>;
  if (session.value === undefined) return null;
  if (session.value === null) return <SignIn ended={known !== undefined} />;
  // What was read for one account is in many places: another begins with none of it.
  if (known !== undefined && known !== session.value.account) {
    location.reload();
    return null;
  }
  known = session.value.account;
  return <SignedIn key={session.value.account} />;
}

/**
 * The page of an account: at once, if it is known what is shown, else when it
 * is known what the account has chosen.
 */
function SignedIn() {
  const [ready, setReady] = useState(() => !['', 'sign-in'].includes(section.value) && !areOthers());
  useEffect(() => void readPreferences().finally(() => setReady(true)), []);
  if (!ready) return null;
  return (
    <Frame>
      <Page />
    </Frame>
  );
}

// An effect does not wait for a frame: what a view reads is asked for at once.
options.requestAnimationFrame = (run) => void setTimeout(run);
startClock();
startPreferences();
startRouter();
// It is on its way while it is asked who has signed in; a ticket may be another's.
const first = sections.find((one) => one.id === section.value)?.view;
const signedIn = ticketGiven() === undefined;
first?.begin();
void open();
if (signedIn) first?.askFirst();
// Nobody sees another language at first.
void spoken().finally(() => render(<App />, document.getElementById('root')!));
