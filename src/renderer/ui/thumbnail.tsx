import { thumbnailUrl } from '../../shared/thumbnail-url.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon.tsx'

type ThumbnailProps = {
  readonly path: string | null
  readonly video?: boolean
  readonly small?: boolean
  /** Shown while there is no picture, or none can be made. */
  readonly icon?: IconName
}

/** A picture of a file, fetched when it comes into view; grey with an icon until then. */
export function Thumbnail({ path, video = false, small = false, icon }: ThumbnailProps) {
  return (
    <span class={`thumb ${small ? 'small' : ''}`}>
      {path !== null && (
        <img
          // Another file is another picture, which has not loaded yet.
          key={path}
          src={thumbnailUrl(path, small ? 28 : 36)}
          alt=""
          loading="lazy"
          decoding="async"
          draggable={false}
          // Nothing else is drawn anew for it: a screen of rows brings two dozen of them.
          onLoad={({ currentTarget }) => {
            currentTarget.dataset['loaded'] = ''
          }}
        />
      )}
      <Icon name={icon ?? (video ? 'video' : 'photo')} />
      {video && path !== null && (
        <span class="film">
          <svg viewBox="0 0 9 9" aria-hidden="true">
            <path d="M2.5 1.5v6l5-3z" />
          </svg>
        </span>
      )}
    </span>
  )
}
