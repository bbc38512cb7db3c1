/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WF_APP_SYSTEMD_H
#define WF_APP_SYSTEMD_H

/*
 * Tells systemd how the service is ("READY=1", "STOPPING=1"); does nothing
 * when it did not start us, or does not listen.
 */
void wf_notify(const char *state);

#endif
