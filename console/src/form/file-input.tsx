// SPDX-License-Identifier: Apache-2.0
// A file as a value: its number and name; it is sent when it is chosen.
import { useRef, useState } from 'preact/hooks';
import { bytes } from '../ui/bytes';
import { t } from '../text/text';
import { Icon } from '../ui/icons';
import { reasonOf } from '../ui/message';
import { native, useAround, type Controlled } from './around';
import { asObject, textOf } from './values';

export function FileLink({ value }: { value: unknown }) {
  const { files } = useAround();
  const { id, name } = asObject(value);
  if (id === undefined) return <span class="muted">{t('common.none')}</span>;
  return (
    <a class="row cut" href={files.href(Number(id))} download title={textOf(name)}>
      <Icon name="file" size={16} /><span class="cut" dir="auto">{textOf(name) || textOf(id)}</span>
    </a>
  );
}

export function FileInput(props: Controlled) {
  const { files } = useAround();
  const { field, value, onChange } = props;
  const [part, setPart] = useState<number>();
  const [refusal, setRefusal] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const add = files.add;

  async function send(file: File): Promise<void> {
    if (!add) return;
    if (field.maximum_bytes !== undefined && file.size > field.maximum_bytes) {
      setRefusal(t('form.file.tooLarge', { size: bytes(file.size), most: bytes(field.maximum_bytes) }));
      return;
    }
    setRefusal(undefined);
    setPart(0);
    try {
      onChange(await add(file, props.path.replace(/\[\d+\]/g, ''), setPart));
    } catch (error) {
      setRefusal(reasonOf(error));
    } finally {
      setPart(undefined);
      if (input.current) input.current.value = '';
    }
  }
  const takes = [field.types?.join(', '), field.maximum_bytes === undefined ? undefined : t('form.file.most', { size: bytes(field.maximum_bytes) })].filter((one) => one !== undefined && one !== '');
  return (
    <div class="column">
      {value !== undefined && (
        <div class="row">
          <FileLink value={value} />
          <button type="button" class="button plain" disabled={props.disabled} onClick={() => onChange(undefined)}>{t('common.remove')}</button>
        </div>
      )}
      {add ? (
        <input {...native(props)} ref={input} type="file" disabled={props.disabled || part !== undefined} accept={field.types?.join(',')} onChange={(event) => { const file = event.currentTarget.files?.[0]; if (file) void send(file); }} />
      ) : <span class="small muted">{t('form.file.later')}</span>}
      {part !== undefined && <progress value={part} max={1} aria-label={t('form.file.sending')} />}
      {refusal !== undefined && <span class="error-text small" role="alert">{refusal}</span>}
      {takes.length > 0 && <span class="small muted">{takes.join(' · ')}</span>}
    </div>
  );
}
