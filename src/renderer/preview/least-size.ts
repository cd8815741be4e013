import type { LeastSize } from '../../shared/model/preview.ts'

/** In bytes; rounded up, so that nobody is promised too little. */
export const promisedSize = ({ bytes }: LeastSize): number => Math.ceil(bytes / 1_000) * 1_000
