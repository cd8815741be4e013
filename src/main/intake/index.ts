export { acceptAgain, findMedia, type FindBatch, type FindOptions } from './find-media.ts'
export { pathsFromArguments } from './arguments.ts'
export { savePastedImage, type PastedImage } from './pasted-image.ts'
export { createIntake, type Added, type Intake, type IntakeTarget } from './intake.ts'
