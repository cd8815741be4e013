/** Counts the images of a HEIC or AVIF file. Reads only the list of items. */
import { auxiliariesOf, itemsOf } from '../image/heif-file.ts'
import { unlessTooShort } from '../image/image-failure.ts'

const ALONE = { pages: 1, depthMap: false, embeddedImages: 0 }

/** Item types of images: coded ones, grids, overlays, and images derived from others by rotation. */
const IMAGES = /^(?:hvc1|av01|avc1|j2k1|jpeg|vvc1|unci|grid|iovl|iden)$/
/** References from a thumbnail or an auxiliary image to its main image. */
const DEPENDENT = /^(?:thmb|auxl)$/

const isDepth = (purpose: string): boolean => /depth|disparity|auxid:2$/.test(purpose)

/**
 * @returns
 *   - `pages` independent images, including the main one. A burst has several.
 *   - `embeddedImages` further images that describe the main one, such as the outline of a face
 */
export function heifImages(file: Buffer): Readonly<typeof ALONE> {
  const images = unlessTooShort(() => {
    const items = itemsOf(file)
    if (items === undefined) return undefined
    const { primary, references, shown } = items
    const parts = new Set(
      references.flatMap(({ type, from, to }) => (DEPENDENT.test(type) ? [from] : type === 'dimg' ? to : [])),
    )
    const isMain = (item: number) => item === primary || !parts.has(item)
    const pages = shown.filter((item) => IMAGES.test(items.typeOf(item) ?? '') && isMain(item)).length
    const purposes = auxiliariesOf(file, items, primary).map(({ purpose }) => purpose)
    const isKnown = (purpose: string) => isDepth(purpose) || /alpha|auxid:1$|hdrgainmap/.test(purpose)
    return {
      pages: Math.max(1, pages),
      depthMap: purposes.some(isDepth),
      embeddedImages: purposes.filter((purpose) => !isKnown(purpose)).length,
    }
  })
  return images ?? ALONE
}
