// SPDX-License-Identifier: Apache-2.0
// Which events of a case are about an item: those since its task was enabled
// last, of the item and of the task's instance that it came from.
import { owner, taskOf, type CaseEvent, type Step } from './step';

interface ItemEvents {
  /** What of a step is about the item. */
  of: (step: Step) => CaseEvent[];
  /** Whether the item came to be in that step: nothing before is about it. */
  isFirst: (step: Step) => boolean;
}

export function eventsOf(item: string): ItemEvents {
  const net = owner(item);
  const task = taskOf(item);
  // "7.1:Ask" was "7:Ask" before it was started.
  const ids = new Set([item, `${net.slice(0, Math.max(0, net.lastIndexOf('.')))}:${task}`]);
  const isAbout = (event: CaseEvent): boolean => event.task === task && event.item !== undefined && ids.has(event.item);
  const began = (step: Step): number => step.events.reduce((at, event, index) => (event.event === 'TASK_ENABLED' && isAbout(event) ? index : at), -1);
  return {
    // What stands before in the same step ended another item of the task.
    of: (step) => {
      const about = step.events.slice(Math.max(0, began(step))).filter(isAbout);
      return about.length === 0 ? [] : [...about, ...step.events.filter((event) => event.event === 'REASON_STATED')];
    },
    isFirst: (step) => began(step) >= 0,
  };
}
