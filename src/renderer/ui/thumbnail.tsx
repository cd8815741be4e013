import type { ReadonlySignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { thumbnailUrl } from '../../shared/thumbnail-url.ts'
import { Icon, type IconName } from './icon.tsx'
import './thumbnail.css'

/** A thumbnail, requested when it comes into view. Shows an icon until it has loaded. */
export function Thumbnail(props: {
  readonly path: string | null
  readonly video?: boolean
  readonly small?: boolean
  /** Shown until the thumbnail has loaded, and if there is none. */
  readonly icon?: IconName | undefined
  /** Whether the row passes too fast to be seen. The thumbnail is requested once this is false, because requests slow down scrolling. */
  readonly passing?: ReadonlySignal<boolean>
}) {
  const { path, video = false, small = false, icon, passing } = props
  const isRequested = useRef(false)
  // Read the signal only until the thumbnail is requested, so that later changes don't render it again.
  if (!isRequested.current) isRequested.current = passing?.value !== true
  return (
    <span class={`thumbnail ${small ? 'small' : ''}`}>
      {path !== null && isRequested.current && (
        <img
          // A different file needs a new element, because this one is marked as loaded.
          key={path}
          src={thumbnailUrl(path, small ? 28 : 36)}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          // Set the attribute directly: rerendering two dozen rows for their thumbnails would be slow.
          onLoad={({ currentTarget }) => {
            currentTarget.dataset['loaded'] = ''
          }}
        />
      )}
      <Icon name={icon ?? (video ? 'video' : 'photo')} />
      {video && path !== null && (
        <span class="video-badge">
          <svg viewBox="0 0 9 9" aria-hidden="true">
            <path d="M2.5 1.5v6l5-3z" />
          </svg>
        </span>
      )}
    </span>
  )
}
