// SPDX-License-Identifier: Apache-2.0
// All texts of the page in English.  zh.ts has the same keys.  Each view has a
// section of its own; what several views say is in "common".
export const en = {
  // --- common
  'app.name': 'Weft',
  'common.retry': 'Try again',
  'common.cancel': 'Cancel',
  'common.close': 'Close',
  'common.save': 'Save',
  'common.add': 'Add',
  'common.remove': 'Remove',
  'common.change': 'Change',
  'common.back': 'Back',
  'common.more': 'More',
  'common.copy': 'Copy',
  'common.copied': 'Copied',
  'common.details': 'Details',
  'common.filter': 'Filter',
  'common.search': 'Search',
  'common.all': 'All',
  'common.none': 'None',
  'common.yes': 'Yes',
  'common.no': 'No',
  'common.loading': 'Loading…',
  'common.reason': 'Reason',
  'common.name': 'Name',
  'common.options': 'Options',
  'common.columns': 'Columns',
  'common.selected': '{n|# selected|# selected}',
  'common.atLeast': 'at least {n}',
  'common.rows': '{n|# row|# rows}',
  'common.noMore': 'That is all.',
  'common.now': 'now',
  'common.unknown': 'unknown',
  'common.notAllowed': 'Not allowed: {reason}',
  'common.undo': 'Undo',
  'common.typeNumber': 'Type {n} to confirm',
  'error.tried': 'This could not be read.',
  'error.command': 'This was not done.',
  'error.unreachable': 'The server does not answer.',
  'error.request': 'Request',
  'error.code': 'Code',

  // --- frame
  'frame.overview': 'Overview',
  'frame.work': 'Work',
  'frame.cases': 'Cases',
  'frame.processes': 'Processes',
  'frame.incidents': 'Incidents',
  'frame.schedules': 'Schedules',
  'frame.services': 'Services',
  'frame.people': 'People',
  'frame.live': 'Live',
  'frame.server': 'Server',
  'frame.navigation': 'Sections',
  'frame.skip': 'Skip to the content',
  'frame.open': 'Show names of sections',
  'frame.search': 'Find cases, items, processes, people',
  'frame.searchNone': 'Nothing is found.',
  'frame.live.on': 'Live: changes are shown at once',
  'frame.live.lost': 'Reconnecting, {n} s',
  'frame.live.off': 'Not live',
  'frame.unreachable': 'The server does not answer. The page tries again by itself.',
  'frame.account': 'Account',
  'frame.signOut': 'Sign out',
  'frame.theme': 'Theme',
  'frame.theme.system': 'As the system',
  'frame.theme.light': 'Light',
  'frame.theme.dark': 'Dark',
  'frame.density': 'Density',
  'frame.density.normal': 'Normal',
  'frame.density.compact': 'Compact',
  'frame.language': 'Language',
  'frame.password': 'Change password',
  'frame.notFound': 'There is no page at this address.',
  'frame.forbidden': 'Your account may not see this.',

  // --- sign-in
  'signIn.title': 'Sign in',
  'signIn.name': 'Name',
  'signIn.password': 'Password',
  'signIn.withToken': 'Sign in with a token',
  'signIn.withPassword': 'Sign in with a password',
  'signIn.token': 'Token',
  'signIn.submit': 'Sign in',
  'signIn.throttled': 'Too many passwords were wrong. Try again in {n|# second|# seconds}.',
  'signIn.wrong': 'The name or the password is wrong.',
  'signIn.wrongToken': 'The token is not valid.',
  'signIn.ended': 'Your session has ended. Sign in again; the page stays where it is.',
  'signIn.ticket': 'This link is used up or too old. Sign in with a name and a password.',

  // --- states
  'state.running': 'Running',
  'state.suspended': 'Suspended',
  'state.completed': 'Completed',
  'state.deadlocked': 'Deadlocked',
  'state.cancelled': 'Cancelled',
  'state.scheduled': 'Scheduled',
  'state.enabled': 'Waiting',
  'state.fired': 'Fired',
  'state.executing': 'Executing',
  'state.unoffered': 'Unoffered',
  'state.offered': 'Offered',
  'state.allocated': 'Allocated',
  'state.started': 'Started',
  'state.open': 'Open',
  'state.dropped': 'Dropped',
  'state.done': 'Done',
  'state.failed': 'Failed',
  'state.paused': 'Paused',
  'state.refused': 'Refused',
  'state.late': 'Late',
  'state.filling': 'Filling',
  'state.ready': 'Ready',
  'state.removing': 'Removing',
  'state.active': 'Active',
  'state.failing': 'Failing',
  'state.stopped': 'Stopped',

  // --- overview

  // --- work

  // --- forms
  'form.required': 'Required',
  'form.optional': '{n|# optional field|# optional fields}',
  'form.notGiven': 'Not given',
  'form.choose': 'Choose…',
  'form.oneOf': 'One of these',
  'form.between': '{min} to {max}',
  'form.atLeast': 'at least {min}',
  'form.atMost': 'at most {max}',
  'form.length': '{n|exactly # character|exactly # characters}',
  'form.maxLength': '{n|at most # character|at most # characters}',
  'form.minLength': '{n|at least # character|at least # characters}',
  'form.pattern': 'Pattern: {pattern}',
  'form.least': '{n|At least # is needed.|At least # are needed.}',
  'form.most': 'At most {n}.',
  'form.removeNumber': 'Remove number {n}',
  'form.days': 'days',
  'form.hours': 'hours',
  'form.minutes': 'minutes',
  'form.seconds': 'seconds',
  'form.timer.from': 'Starts',
  'form.timer.OnEnabled': 'when the task is enabled',
  'form.timer.OnExecuting': 'when the task is started',
  'form.timer.ends': 'Ends',
  'form.timer.after': 'after a time',
  'form.timer.at': 'at an instant',
  'form.timer.workdays': 'Counts working days only',
  'form.file.tooLarge': 'The file has {size}; {most} at most are taken.',
  'form.file.most': 'at most {size}',
  'form.file.later': 'A file can be added once the case runs.',
  'form.file.sending': 'Sending the file',
  'form.blackout': 'Not shown',
  'form.custom': 'This task has a form of its own:',
  'form.nothing': 'There is nothing to fill in.',

  // --- cases

  // --- operations

  // --- case

  // --- history

  // --- processes

  // --- picture

  // --- incidents

  // --- services

  // --- people

  // --- accounts

  // --- live

  // --- server
};
