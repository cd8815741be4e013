import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { MediaKind } from '../../shared/media-types.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { useView } from '../store/app.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Name } from '../ui/name.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { chooseFile, type PreviewContext } from './preview-head.tsx'
import type { PreviewModel } from './preview-model.ts'
import '../ui/tray-shape.css'

/** Explains why there is no preview, and how to see one. */
export function NoPreview({ isBuiltIn, part, model, file }: PreviewContext) {
  const { app, t } = useView()
  const texts = t.preview
  if (!isBuiltIn)
    return (
      <Reason title={texts.noService} why={texts.noServiceWhy}>
        <Button
          label={texts.useBuiltIn}
          onPress={() => void app.attempt(app.bridge.connection.useBuiltIn())}
        />
      </Reason>
    )
  // The preview of a chosen file is loading or has failed.
  if (file !== null)
    return <div class="empty-state" data-scroller tabIndex={0} role="group" aria-label={texts.title} />
  return (
    <div class="empty-state">
      <div class="tray-shape">
        <Icon name="falling" class="drop-icon" />
        <h2>{part === 'video' ? texts.dropVideo : texts.dropPhoto}</h2>
        <p>{texts.dropWhy}</p>
        <Button label={texts.chooseFile} onPress={() => void chooseFile(app, model, part)} />
      </div>
      <Recent part={part} model={model} />
    </div>
  )
}

function Reason(props: {
  readonly title: string
  readonly why: string
  readonly children?: preact.ComponentChildren
}) {
  const { title, why, children } = props
  return (
    <div class="empty-state" data-scroller tabIndex={0} role="group" aria-label={title}>
      <Icon name="off" class="hide-narrow" />
      <div class="empty-text">
        <h2>{title}</h2>
        <p>{why}</p>
        {children}
      </div>
    </div>
  )
}

function Recent({ part, model }: { readonly part: MediaKind; readonly model: PreviewModel }) {
  const { app, t } = useView()
  const recent = useSignal<readonly MediaItem[]>([])
  useEffect(() => {
    void app.bridge.preview
      .files(part)
      .then((files) => (recent.value = files.recent))
      .catch(() => undefined)
  }, [part])
  if (recent.value.length === 0) return null
  return (
    <section class="recent-files">
      <h2>{t.preview.lastJobs}</h2>
      {recent.value.map((item) => (
        <button type="button" key={item.path} onClick={() => model.take(item)}>
          <Thumbnail path={item.path} video={part === 'video'} small />
          <Name name={item.name} />
          <span class="file-size">{t.size(item.size)}</span>
        </button>
      ))}
    </section>
  )
}
