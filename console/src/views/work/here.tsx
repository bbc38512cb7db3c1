// SPDX-License-Identifier: Apache-2.0
// Where the item stands in its process: the picture of its net, with "here".
import { useResource } from '../../api/resource';
import { mayAnywhere } from '../../app/session';
import type { TaskMark } from '../../picture/model';
import { readPictures } from '../../picture/nets';
import { NetPicture } from '../../picture/picture';
import { t } from '../../text/text';
import { Await, Empty } from '../../ui/message';
import { Drawn } from '../shared/drawn';
import type { Detail } from './actions';
import { stateOf } from './order';

const marks: Record<string, TaskMark['state']> = { offered: 'offered', allocated: 'allocated', started: 'busy', suspended: 'suspended' };

/** Who may not read the process sees the picture of a case that is the own. */
export function Here({ detail }: { detail: Detail }) {
  if (mayAnywhere('read')) return <HereInNet detail={detail} />;
  return <Drawn id={detail.case} at={detail.item} alt={t('work.pictureOf', { case: detail.case, task: detail.name ?? detail.task })} />;
}

function HereInNet({ detail }: { detail: Detail }) {
  const pictures = useResource(() => readPictures(detail.specification), [detail.specification]);
  return (
    <Await of={pictures} lines={3}>
      {(found) => {
        const net = found.nets.find((one) => one.elements.some((element) => element.id === detail.task));
        if (!net) return <Empty>{t('work.noPicture')}</Empty>;
        return (
          <div class="work-here">
            <NetPicture net={net} sizes={found} picked={detail.task} tasks={{ [detail.task]: { state: marks[stateOf(detail)] ?? 'here', holder: detail.holder } }} />
          </div>
        );
      }}
    </Await>
  );
}
