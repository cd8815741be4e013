/** The timing of animated images, regardless of their format. */

export type Animation = {
  /** How long each frame is shown, in ms. */
  readonly delays: readonly number[]
  /** How often the frames are played; 0 means endlessly. */
  readonly loop: number
}

const [SHORTEST, USUAL] = [11, 100]

/** Returns how long programs show a frame of GIF, WebP or PNG, in ms. Browsers and libvips use 100 ms instead of times of up to 10 ms. */
export const shownFor = (delay: number): number => (delay < SHORTEST ? USUAL : delay)
