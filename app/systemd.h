/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WF_APP_SYSTEMD_H
#define WF_APP_SYSTEMD_H

/*
 * Reports a state of the service to systemd ("READY=1", "STOPPING=1").  Does
 * nothing if systemd did not start this process.
 */
void wf_notify(const char *state);

#endif
