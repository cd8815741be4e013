export { acceptAgain, findMedia, type FindAnswer, type FindBatch, type FindOptions } from './find-media.ts'
export { pathsFromArguments } from './arguments.ts'
export { savePastedImage, type PastedImage } from './pasted-image.ts'
export { createIntake, type Added, type FoundMedia, type Intake, type IntakeTarget } from './intake.ts'
