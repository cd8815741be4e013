import type { VariationValues } from '../../src/shared/preset/variation.ts'

/** Changes nothing, but a recipe treats it as a variation. */
export const NO_VARIATION: VariationValues = {
  brightness: 1,
  saturation: 1,
  hue: 0,
  rotation: 0,
  cropLeft: 0,
  cropTop: 0,
  cropRight: 0,
  cropBottom: 0,
  mirror: false,
}
