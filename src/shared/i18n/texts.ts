/** The placeholders of each text. Written by `npm run texts` from locales/en.json. */
export type Texts = {
  readonly common: {
    readonly count: {
      readonly files: 'count'
      readonly photos: 'count'
      readonly videos: 'count'
      readonly jobs: 'count'
      readonly problems: 'count'
      readonly variations: 'count'
      readonly results: 'count'
      readonly presets: 'count'
    }
    readonly phrase: {
      readonly withReplacing: 'starting'
      readonly withSkipped: 'starting' | 'count'
      readonly startingSoon: 'files' | 'preset'
      readonly quoted: 'text'
    }
    readonly clipboard: {
      readonly readyLead: never
      readonly sizes: 'was' | 'now' | 'preset'
      readonly nothing: never
      readonly cut: never
      readonly underWay: never
      readonly waiting: never
      readonly notSmaller: never
      readonly changed: never
      readonly blocked: never
      readonly notStarted: never
      readonly needsUser: never
      readonly failed: never
      readonly restored: never
      readonly notRestored: never
      readonly restoreBlocked: never
      readonly unconfirmed: never
    }
    readonly name: {
      readonly more: 'count'
      readonly driveFolder: 'id'
    }
    readonly preset: {
      readonly basic: never
      readonly makeSmaller: never
      readonly forTheWeb: never
      readonly underASize: never
      readonly under: 'size'
      readonly removeLocation: never
      readonly adjusted: never
    }
    readonly unit: {
      readonly bytes: 'count'
    }
    readonly time: {
      readonly seconds: 'seconds'
      readonly minutes: 'minutes'
      readonly minutesSeconds: 'minutes' | 'seconds'
      readonly hours: 'hours'
      readonly hoursMinutes: 'hours' | 'minutes'
      readonly left: 'time'
      readonly leftStart: 'time'
      readonly soFar: 'time'
      readonly atOne: 'time'
      readonly atHour: 'time'
      readonly ordinal: 'count'
    }
    readonly stage: {
      readonly working: never
      readonly next: never
      readonly position: 'position'
      readonly atService: never
      readonly whenRoom: never
      readonly cancelling: never
      readonly unreadable: 'field'
      readonly uploading: never
      readonly fileOf: 'phase' | 'file' | 'files'
      readonly fileCount: 'file' | 'files'
      readonly inParallel: 'doing' | 'running'
      readonly othersWait: 'doing'
      readonly othersWaitForDisk: 'doing'
      readonly sending: never
      readonly sendingShare: 'percent'
    }
    readonly phase: {
      readonly waiting: never
      readonly waitingForMemory: never
      readonly waitingForDiskSpace: never
      readonly discovering: never
      readonly starting: never
      readonly fetching: never
      readonly reading: never
      readonly processing: never
      readonly saving: never
      readonly encoding: never
      readonly copying: never
      readonly measuring: never
      readonly finishing: never
      readonly uploading: never
      readonly done: never
      readonly fetchingResults: never
    }
    readonly waiting: {
      readonly undo: never
      readonly offline: never
      readonly editing: never
      readonly preset: 'preset'
      readonly drive: never
      readonly paused: never
      readonly pausedUntil: 'time'
      readonly time: 'time'
      readonly power: never
      readonly idle: never
      readonly held: 'waiting' | 'done' | 'count'
      readonly keyRefused: never
      readonly wrongVersion: never
      readonly unconfigured: never
      readonly diskFull: never
      readonly output: never
      readonly serviceFailed: never
    }
    readonly pause: {
      readonly pause: never
      readonly hour: never
      readonly tomorrow: never
      readonly untilResumed: never
      readonly resume: never
    }
    readonly originals: {
      readonly replaced: 'count'
      readonly kept: 'count'
      readonly restored: 'count'
    }
    readonly outcome: {
      readonly done: never
      readonly problems: 'count'
      readonly failed: 'reason'
      readonly failedPlain: never
      readonly cancelled: never
      readonly cancelledAfter: 'done' | 'count'
      readonly lost: 'count'
      readonly forgotten: never
      readonly refused: 'reason'
      readonly refusedPlain: never
      readonly unknown: never
    }
    readonly offline: {
      readonly refused: never
      readonly silent: never
      readonly notTheService: 'address'
      readonly builtInFailed: never
    }
    readonly connection: {
      readonly builtIn: never
      readonly unconfigured: never
      readonly connecting: never
      readonly online: 'address'
      readonly ofService: 'name' | 'text'
      readonly onlineBuiltIn: never
      readonly keyRefused: never
      readonly wrongVersion: 'version'
    }
    readonly drive: {
      readonly noRclone: never
      readonly noRemote: never
      readonly unknownRemote: 'name'
      readonly notListed: 'reason'
      readonly noSuchFolder: 'id'
      readonly notAFolder: 'id'
    }
    readonly serviceError: {
      readonly notReachable: never
      readonly noAnswer: never
      readonly unauthorized: never
      readonly notFound: never
      readonly conflict: never
      readonly refused: never
      readonly driveNotReady: never
      readonly queueFull: never
      readonly serverError: never
      readonly badResponse: 'route' | 'field'
      readonly localFile: never
      readonly aborted: never
    }
    readonly punctuation: {
      readonly comma: never
      readonly colon: never
      readonly period: never
      readonly betweenSentences: never
    }
  }
  readonly window: {
    readonly phrases: {
      readonly and: 'first' | 'second'
      readonly basicDefaults: never
      readonly today: 'time'
      readonly yesterday: 'time'
      readonly on: 'date' | 'time'
    }
    readonly list: {
      readonly region: never
      readonly search: never
      readonly clearSearch: never
      readonly filter: never
      readonly newJob: 'keys'
      readonly settings: 'keys'
      readonly manyJobs: 'count'
      readonly saved: 'count'
      readonly dropHere: never
      readonly chooseFiles: never
      readonly emptyHistory: never
      readonly usingBuiltIn: never
      readonly change: never
      readonly changeService: never
      readonly needsYou: never
      readonly now: never
      readonly waiting: never
      readonly today: never
      readonly yesterday: never
      readonly earlier: never
      readonly noMatch: 'text'
      readonly noneLeft: never
      readonly searchLooksAt: never
      readonly filtersOn: 'count'
      readonly removeFilters: 'count'
      readonly removeFilter: 'name'
      readonly outcome: never
      readonly kind: never
      readonly preset: never
      readonly photos: never
      readonly videos: never
      readonly replaced: never
      readonly fromAssistants: never
      readonly byAssistant: 'sentence'
      readonly inFolder: 'folder' | 'sentence'
      readonly progress: 'name'
      readonly reading: never
      readonly actionsFor: 'name'
      readonly moveRow: 'name'
      readonly detailsRegion: never
    }
    readonly outcomes: {
      readonly done: never
      readonly problems: never
      readonly failed: never
      readonly cancelled: never
      readonly forgotten: never
    }
    readonly rows: {
      readonly unsure: never
      readonly checking: never
      readonly ofFilesLong: 'phase' | 'current' | 'total'
    }
    readonly actions: {
      readonly cancelJob: never
      readonly edit: never
      readonly startAnyway: never
      readonly moveUp: never
      readonly moveDown: never
      readonly runNext: never
      readonly remove: never
      readonly removeFromHistory: never
      readonly showInFolder: never
      readonly showOriginals: never
      readonly showOriginal: never
      readonly open: never
      readonly openFirst: never
      readonly copyPaths: never
      readonly copied: 'count'
      readonly runAgain: never
      readonly tryAgain: never
      readonly retry: 'count'
      readonly saveAs: never
      readonly saved: 'path'
      readonly more: never
      readonly undo: never
      readonly backToJobs: never
      readonly backToSettings: never
      readonly close: never
      readonly cancel: never
    }
    readonly tasks: {
      readonly common: never
      readonly underASize: never
      readonly makeSmallerLine: never
      readonly forTheWebLine: never
      readonly underASizeLine: never
      readonly removeLocationLine: never
      readonly whatToDo: never
      readonly first: never
      readonly firstPreset: never
      readonly all: never
      readonly position: 'name' | 'line' | 'number' | 'count'
      readonly chosen: 'added' | 'name'
      readonly atMost: never
      readonly forEach: never
      readonly sizes: never
      readonly noSize: 'size'
      readonly tooSmall: 'size'
      readonly tooLarge: 'size'
      readonly resultsGoTo: 'folder'
      readonly adjust: never
      readonly forThisJob: never
    }
    readonly notices: {
      readonly openSettings: never
      readonly enterKey: never
      readonly region: never
      readonly keyRejected: never
      readonly keyRejectedHint: never
      readonly keyField: never
      readonly newKey: never
      readonly connect: never
      readonly notRunning: never
      readonly startIt: never
      readonly notRunningHint: 'count'
      readonly useBuiltIn: never
      readonly tryAgain: never
      readonly otherVersion: 'version'
      readonly otherVersionHint: 'known'
      readonly goOn: never
      readonly noKeychain: never
      readonly keychainLocked: never
      readonly noKeychainHint: never
      readonly keepUntilQuit: never
      readonly dataGone: never
      readonly dataGoneHint: 'folder'
      readonly dataNotWritten: never
      readonly diskFull: never
      readonly diskFullHint: 'folder'
      readonly showFolder: never
      readonly settingsDamaged: never
      readonly settingsDamagedHint: 'file'
      readonly settingsUnread: 'names' | 'count'
      readonly settingsUnreadHint: never
      readonly presetsDamaged: 'names' | 'count'
      readonly presetsDamagedHint: never
      readonly builtInFailed: never
      readonly builtInFailedHint: 'reason'
    }
    readonly dataNotWrittenHint: {
      readonly readOnly: 'folder'
      readonly locked: 'folder'
      readonly failed: 'folder'
    }
    readonly damaged: {
      readonly history: never
      readonly outbox: never
      readonly state: never
    }
    readonly damagedHint: {
      readonly history: 'file'
      readonly outbox: 'file'
      readonly state: 'file'
    }
    readonly keyTrouble: {
      readonly badAddress: never
      readonly notConfirmed: never
      readonly notReachable: never
      readonly notTheService: never
      readonly keyRefused: never
      readonly badKey: never
      readonly noKeychain: never
    }
    readonly toasts: {
      readonly addedDone: 'files' | 'count'
      readonly added: 'count'
      readonly refused: 'refused'
      readonly stillInTray: never
      readonly removedFromHistory: 'name'
      readonly originalsStayInVault: 'name'
      readonly removed: 'name'
      readonly cleared: never
      readonly filesRemoved: 'count'
      readonly couldNot: never
    }
    readonly settings: {
      readonly region: never
      readonly backToJobs: never
      readonly jobs: never
      readonly presets: never
      readonly automation: never
      readonly originals: never
      readonly advanced: never
      readonly general: never
      readonly version: 'version'
      readonly newVersion: 'version'
    }
    readonly ending: {
      readonly quit: 'time'
      readonly sleep: 'time'
      readonly why: never
      readonly stayOpen: never
      readonly stayAwake: never
    }
    readonly announcements: {
      readonly language: 'language'
      readonly half: 'name'
      readonly started: 'name'
      readonly over: 'name' | 'sentence'
      readonly moved: 'name' | 'place' | 'of'
      readonly andMore: 'name' | 'count'
      readonly quietEnded: never
      readonly quietBegan: 'waiting'
      readonly partEnded: 'name' | 'preset' | 'sentence'
    }
    readonly emptyTray: {
      readonly title: never
      readonly originals: never
      readonly chooseFolder: never
      readonly addDrive: never
      readonly change: never
    }
    readonly outputs: {
      readonly replaceOriginals: never
      readonly nextToOriginals: never
      readonly driveTarget: never
    }
  }
  readonly views: {
    readonly parts: {
      readonly part: 'part' | 'parts'
      readonly finishedStay: 'count'
      readonly nothingFinished: never
      readonly cancelOnly: 'name'
      readonly startsNow: 'name'
      readonly stillRuns: 'name'
      readonly originalsStay: never
      readonly otherOriginalsStay: never
      readonly nothingReplaced: never
      readonly replacedStay: never
      readonly doing: 'name' | 'doing'
      readonly done: 'count'
      readonly startsAfter: 'name' | 'what'
      readonly resultsDone: 'results' | 'before' | 'after'
      readonly resultsOf: 'results' | 'count' | 'problems'
      readonly ready: 'results' | 'count'
      readonly show: never
      readonly more: 'count'
      readonly moreFolders: 'count'
      readonly inFolders: 'preset' | 'count'
      readonly decideBelow: never
      readonly partsRefused: 'count'
      readonly refusedPart: never
      readonly tryPart: never
    }
    readonly severalPresets: {
      readonly cancelBoth: never
      readonly cancelAll: 'count'
      readonly cancelRest: 'count'
    }
    readonly severalFolders: {
      readonly cancelBoth: never
      readonly cancelAll: 'count'
      readonly cancelRest: 'count'
    }
    readonly replacedJob: {
      readonly kept: never
      readonly replaced: never
      readonly restored: never
      readonly restoredCount: 'count'
      readonly allRestored: never
      readonly doneReplaced: 'replaced' | 'count'
      readonly cancelledReplaced: 'replaced' | 'count'
      readonly becameAfter: 'when' | 'before' | 'after' | 'time'
      readonly notSmallerThan: 'size'
      readonly nothingIn: 'folder'
      readonly replaces: 'preset'
      readonly originalsUntil: 'date'
      readonly originalsInVault: never
      readonly resultsUntil: 'date'
      readonly resultsInVault: never
      readonly deleted: 'date'
      readonly originalRestored: never
      readonly restoredAs: 'name'
      readonly restoredNewer: 'name'
      readonly restoredAll: 'count'
      readonly newerCount: 'count'
      readonly bothCount: 'count'
      readonly replacedAgain: 'count'
      readonly again: never
      readonly anyway: never
      readonly anywayTitle: 'name'
      readonly anywayHow: 'count'
      readonly anywayForever: never
      readonly originalReplaced: never
      readonly resultChanged: never
      readonly undoAll: never
      readonly allAgain: never
      readonly forOriginal: 'action' | 'name'
      readonly keptLost: 'what'
      readonly resultNextToIt: 'sentence'
    }
    readonly keptReasons: {
      readonly changed: never
      readonly missing: never
      readonly notSmaller: never
      readonly badResult: never
      readonly unchecked: never
      readonly lowQuality: never
      readonly lost: never
      readonly noResult: never
      readonly misplaced: never
      readonly readOnly: never
      readonly rights: never
      readonly inUse: never
      readonly link: never
      readonly hardLink: never
      readonly vault: never
      readonly cancelled: never
      readonly unreadable: never
    }
    readonly newJob: {
      readonly service: never
      readonly automaticFolder: never
      readonly result: never
      readonly estimateTotal: never
      readonly about: 'size'
      readonly atMost: 'size'
      readonly ofInTime: 'size' | 'time'
      readonly ofAll: 'size'
      readonly fromInTime: 'size' | 'time'
      readonly fromAll: 'size'
      readonly ofSoFar: 'size'
      readonly fromTo: 'from' | 'to'
      readonly counting: never
      readonly estimateNoService: never
      readonly estimateDrive: never
      readonly add: never
      readonly addFiles: never
      readonly addFolder: never
      readonly paste: never
      readonly clear: never
      readonly files: never
      readonly remove: 'name'
      readonly rejected: 'count'
      readonly removeThese: 'count'
      readonly showAll: 'count'
      readonly showFewer: never
      readonly preset: never
      readonly starred: never
      readonly kindPhotos: never
      readonly kindVideos: never
      readonly kindBoth: never
      readonly fiveAtMost: never
      readonly spaceKey: never
      readonly addOrRemove: never
      readonly useOnlyThis: never
      readonly countOfMost: 'count' | 'most'
      readonly editOne: never
      readonly presetsSum: 'what'
      readonly presetFor: 'preset' | 'files'
      readonly presetFolders: never
      readonly subfolderEach: never
      readonly photosAndVideos: never
      readonly photos: never
      readonly videos: never
      readonly needsVideos: never
      readonly needsPhotos: never
      readonly noPreset: never
      readonly unknownPreset: never
      readonly presetsUnknown: never
      readonly saveTo: never
      readonly thisComputer: never
      readonly withOriginals: never
      readonly undoFor: 'count'
      readonly undoAnytime: never
      readonly needsOnePreset: never
      readonly notWithVariations: never
      readonly notWithAudio: never
      readonly willReplace: 'count'
      readonly willReplaceHow: 'count'
      readonly willReplaceForever: never
      readonly becomes: 'before' | 'after'
      readonly notForDrive: never
      readonly notUploaded: never
      readonly otherComputer: never
      readonly presetFolderHint: 'name'
      readonly originalsHint: 'count'
      readonly subfolder: never
      readonly nameHasCharacter: 'character'
      readonly nameInvalid: never
      readonly unwritable: 'folder' | 'target' | 'count'
      readonly unwritableFolders: 'count'
      readonly chooseAnother: never
      readonly show: never
      readonly hide: never
      readonly drive: never
      readonly isDefault: never
      readonly choose: never
      readonly chooseFolderOption: never
      readonly folderId: never
      readonly folderIdHint: never
      readonly fromLink: never
      readonly notAFolderId: never
      readonly driveNotConnected: never
      readonly checkAgain: never
      readonly variations: never
      readonly fewer: never
      readonly more: never
      readonly results: 'count'
      readonly sum: 'count' | 'files' | 'results'
      readonly large: 'results'
      readonly mixedNone: never
      readonly mixed: 'count'
      readonly makeTwo: never
      readonly lostStay: never
      readonly pages: 'count'
      readonly keepsPages: 'count' | 'format'
      readonly keepsChapters: 'count' | 'format'
      readonly keepsHdr: 'count' | 'format'
      readonly chapters: 'count'
      readonly useForThese: 'format'
      readonly become: 'count' | 'format'
      readonly becomeOthers: 'count' | 'format' | 'others'
      readonly driveInput: 'id'
      readonly backToFiles: never
      readonly start: never
      readonly startsNow: never
      readonly startsWith: 'count'
      readonly skipsDone: 'count'
      readonly nothingToProcess: never
      readonly startAnyway: never
      readonly doneOf: 'count' | 'all'
      readonly someDone: 'done' | 'presets'
      readonly allDone: 'count'
      readonly checkingDone: 'count'
      readonly doneFiles: never
      readonly skipThem: never
      readonly processAgain: never
      readonly toProcess: 'count'
      readonly doneGroup: 'count' | 'size'
      readonly resultOf: 'preset' | 'date'
      readonly startsWithout: 'count'
      readonly startsAfter: 'count'
      readonly queueFull: never
      readonly notRunning: never
      readonly connecting: never
      readonly keyRejected: never
      readonly otherVersion: never
      readonly unconfigured: never
      readonly paused: never
      readonly waitsUntil: 'time'
      readonly waitsForPower: never
      readonly waitsForIdle: never
      readonly connectDrive: never
      readonly leftOut: 'count'
      readonly together: never
      readonly separate: never
      readonly looking: 'found' | 'looked'
      readonly tooMany: 'found'
      readonly takeAll: 'found'
      readonly takeSome: 'cap'
      readonly stop: never
      readonly total: 'files' | 'size'
    }
    readonly unknownSize: {
      readonly counting: never
      readonly tooDifferent: never
      readonly notProcessable: never
      readonly noHistory: never
    }
    readonly rejections: {
      readonly unsupported: never
      readonly avifBuiltInOnly: never
      readonly jxlBuiltInOnly: never
      readonly gifBuiltInOnly: never
      readonly videoBuiltInOnly: never
      readonly raw: never
      readonly unreadable: never
      readonly missing: never
      readonly nameUnreadable: never
      readonly empty: never
      readonly notAFile: never
      readonly leadsOutside: never
      readonly foreignLink: never
      readonly tooLargeToUpload: never
      readonly restored: never
      readonly noPresetFor: never
      readonly noPresetForPhotos: never
      readonly noPresetForVideos: never
    }
    readonly draftProblems: {
      readonly noInput: never
      readonly noOutput: never
      readonly nothingToProcess: 'count'
      readonly originalsInVault: never
      readonly outputInVault: never
      readonly outputNotAbsolute: 'path'
      readonly presetUnknown: 'preset'
      readonly presetNotForPhotos: 'preset'
      readonly presetNotForVideos: 'preset'
      readonly noPresetForPhotos: 'count'
      readonly noPresetForVideos: 'count'
      readonly tooManyPresets: 'count'
      readonly besideNeedsLocalService: never
      readonly besideNotForDrive: never
      readonly replaceNeedsLocalService: never
      readonly replaceNotForDrive: never
      readonly replaceNotWithVariations: never
      readonly replaceNeedsOnePreset: never
      readonly replaceNotWithAudio: never
      readonly replaceImpossible: 'folder' | 'reason'
      readonly subfolderInvalid: 'name'
      readonly manyFolders: 'count'
      readonly driveNotConnected: never
      readonly driveFolderInvalid: never
      readonly tooLargeToUpload: 'name' | 'size'
      readonly variationsInvalid: never
      readonly sentMeanwhile: never
    }
    readonly preview: {
      readonly title: never
      readonly picture: 'name'
      readonly divider: never
      readonly percentBefore: 'percent'
      readonly before: never
      readonly after: never
      readonly olderSettings: never
      readonly theOriginal: never
      readonly audioOnly: never
      readonly extent: 'width' | 'height'
      readonly zoom: never
      readonly fit: never
      readonly fullSize: never
      readonly doubleSize: never
      readonly flick: never
      readonly making: never
      readonly chooseOther: 'name'
      readonly with: never
      readonly lastJobs: never
      readonly chooseFile: never
      readonly dropPhoto: never
      readonly dropVideo: never
      readonly notPhoto: never
      readonly notVideo: never
      readonly dropWhy: never
      readonly noSize: never
      readonly chooseOne: never
      readonly ofOriginal: 'share' | 'time'
      readonly ofVideo: 'share' | 'time'
      readonly ofMeasuredVideo: 'share' | 'time' | 'seconds'
      readonly working: never
      readonly batch: 'what' | 'size'
      readonly batchAtMost: 'what' | 'size'
      readonly keptAsItIs: 'size'
      readonly failed: never
      readonly endedWhy: never
      readonly failedWhy: never
      readonly notUnder: 'size'
      readonly notMade: never
      readonly tryAgain: never
      readonly noService: never
      readonly noServiceWhy: never
      readonly useBuiltIn: never
      readonly builtInOnly: never
      readonly play: never
      readonly pause: never
      readonly playing: never
      readonly paused: never
      readonly sample: 'from' | 'to'
      readonly sampleBegin: never
      readonly difference: never
      readonly results: never
      readonly compareQualities: never
      readonly chooseLookFirst: never
      readonly pickQuality: never
      readonly originalInAll: never
      readonly useQuality: 'score'
    }
    readonly quality: {
      readonly title: 'score'
      readonly same: never
      readonly zoomed: never
      readonly sideBySide: never
      readonly softer: never
      readonly draft: never
      readonly measuring: never
      readonly lossless: never
      readonly unknown: never
      readonly keptBelow: 'score' | 'below'
      readonly onAverage: 'score'
      readonly ofOne: 'score'
      readonly ofMeasured: 'score' | 'measured' | 'all'
      readonly lowest: never
      readonly lowestOf: 'shown' | 'all'
      readonly inTag: 'size' | 'score'
      readonly ofResult: 'score'
      readonly asSet: 'score'
      readonly showAbove: 'name'
    }
    readonly details: {
      readonly service: 'name'
      readonly doneIn: 'what' | 'time'
      readonly done: 'what'
      readonly became: 'when' | 'before' | 'after'
      readonly estimate: 'expected' | 'actual'
      readonly inTime: 'size' | 'time'
      readonly after: 'when' | 'time'
      readonly at: 'when'
      readonly savedTo: 'preset'
      readonly to: 'preset'
      readonly toDrive: 'preset'
      readonly toFolder: 'preset' | 'folder'
      readonly photosReady: 'results' | 'count'
      readonly videosReady: 'results' | 'count'
      readonly filesReady: 'results' | 'count'
      readonly nothingSaved: 'count'
      readonly cancelled: 'count'
      readonly cancelledNone: never
      readonly forgotten: never
      readonly forgottenDrive: never
      readonly uploading: 'what'
      readonly uploadingBar: never
      readonly uploadingWord: never
      readonly uploaded: 'count'
      readonly problems: never
      readonly results: never
      readonly files: never
      readonly filesDone: 'done' | 'all'
      readonly lost: never
      readonly originalsUnchanged: never
      readonly originalsKept: never
      readonly useFormat: 'format'
      readonly itsFine: never
      readonly itsFineDoes: never
      readonly lossIsFine: 'preset' | 'what'
      readonly showLost: never
      readonly dragOut: never
      readonly noLongerThere: never
      readonly facts: never
      readonly copyJson: never
      readonly copiedJson: never
      readonly compare: never
      readonly before: never
      readonly percentBefore: 'percent'
      readonly asked: never
      readonly forEach: 'count'
      readonly countedLater: never
      readonly noFilesYet: never
      readonly progress: never
      readonly progressUnknown: never
      readonly waiting: never
      readonly placeOf: 'state' | 'place' | 'of'
      readonly acceptedNext: 'service'
      readonly acceptedAfter: 'service' | 'count'
      readonly sendingHint: never
      readonly sendingUpload: 'sent' | 'all'
      readonly refusedHint: never
      readonly unsure: never
      readonly checkedUntil: 'time'
      readonly unsureNone: never
      readonly unsureSome: 'count'
      readonly which: never
      readonly isJob: 'id'
      readonly created: 'time'
      readonly sendAgainNone: never
      readonly sendAgain: never
      readonly sendAgainTwo: never
      readonly sendAgainHint: never
      readonly chooseOne: never
      readonly goOn: never
      readonly gone: never
      readonly otherApp: never
      readonly size: 'count' | 'size'
    }
    readonly waitingBecause: {
      readonly turn: never
      readonly queueFull: never
      readonly offline: never
      readonly keyRefused: never
      readonly wrongVersion: never
      readonly unconfigured: never
      readonly editing: never
      readonly diskFull: never
      readonly undo: never
      readonly output: never
      readonly serviceFailed: never
    }
    readonly jobStatuses: {
      readonly queued: never
      readonly processing: never
      readonly completed: never
      readonly failed: never
      readonly cancelled: never
    }
    readonly facts: {
      readonly job: never
      readonly created: never
      readonly sent: never
      readonly started: never
      readonly finished: never
      readonly service: never
      readonly builtIn: never
      readonly input: never
      readonly output: never
      readonly saveTo: never
      readonly preset: never
      readonly variations: never
      readonly message: never
      readonly driveFolder: never
      readonly notes: never
    }
    readonly resultNotes: {
      readonly 'quality-too-low': 'count'
      readonly 'original-kept': 'count'
      readonly 'pictures-copied': 'count'
      readonly 'encoded-instead': 'count'
      readonly 'hardware-encoder': 'count'
      readonly 'software-after-failure': 'count'
      readonly 'shrunk-to-fit': 'count'
      readonly 'tone-mapped': 'count'
      readonly 'bit-rate-adapted': 'count'
      readonly 'flaws-passed-over': 'count'
    }
    readonly drop: {
      readonly add: 'count'
      readonly addSome: never
      readonly opens: never
      readonly joins: never
      readonly start: 'shift' | 'preset'
      readonly shift: never
    }
    readonly quiet: {
      readonly run: never
      readonly always: never
      readonly plugged: never
      readonly between: never
      readonly and: never
      readonly from: never
      readonly until: never
      readonly idle: never
      readonly minutes: never
      readonly minutesLabel: never
      readonly notHere: never
      readonly all: never
      readonly waitingTime: 'count' | 'time'
      readonly waitingPower: 'count'
      readonly waitingIdle: 'count'
      readonly waitingPaused: 'count'
      readonly waitingPausedUntil: 'count' | 'time'
      readonly startWaiting: 'count'
      readonly leaveRoom: never
      readonly leaveRoomHint: never
      readonly builtInOnly: never
      readonly pauseHint: never
      readonly pauseHintExternal: never
      readonly pauseAll: never
      readonly accepted: 'address' | 'count'
      readonly holdsBack: never
      readonly becauseTime: 'from' | 'until'
      readonly becausePower: never
      readonly becauseIdle: 'count'
      readonly becausePaused: never
      readonly kept: never
      readonly continues: never
    }
    readonly hookResult: {
      readonly tryingAgain: never
      readonly tryAgain: never
      readonly exited: 'code'
      readonly signaled: 'signal'
      readonly stopped: never
      readonly silent: never
      readonly answered: 'status' | 'reason'
      readonly notReached: 'code'
      readonly missing: never
      readonly notAFile: never
      readonly notRunnable: never
      readonly foreignOwner: never
      readonly writableByOthers: never
      readonly notStarted: 'fault'
      readonly notAUrl: never
      readonly notSecure: never
      readonly credentials: never
      readonly badUrl: never
      readonly keyMissing: never
      readonly keyLocked: never
      readonly noKeychain: never
      readonly noAddress: never
      readonly interrupted: never
      readonly at: 'what' | 'when'
      readonly atAfter: 'what' | 'when' | 'seconds'
      readonly tested: 'what'
      readonly today: 'time'
      readonly yesterday: 'time'
      readonly next: 'next' | 'most' | 'time'
      readonly gaveUp: 'count'
      readonly programFailed: 'name'
      readonly urlFailed: 'name'
      readonly messageFailed: 'name'
      readonly lastTry: 'what' | 'count' | 'when'
      readonly jobDone: never
      readonly jobUnchanged: never
    }
    readonly diagnosticsDialog: {
      readonly title: never
      readonly saveReport: never
    }
  }
  readonly settings: {
    readonly subpages: {
      readonly back: 'page'
      readonly notifications: never
      readonly defaultPresets: never
      readonly moreDefaults: 'count'
      readonly inUse: never
      readonly folders: never
      readonly moreFolders: 'count'
      readonly quiet: never
      readonly afterJob: never
      readonly service: never
      readonly assistants: never
      readonly clipboard: never
      readonly importSettings: never
      readonly about: never
    }
    readonly summaries: {
      readonly both: 'first' | 'second'
      readonly off: never
      readonly onlyWhen: 'list'
      readonly plugged: never
      readonly between: 'from' | 'until'
      readonly idle: 'count'
      readonly waiting: 'count'
      readonly runs: 'program'
      readonly sends: 'host'
      readonly runsAndSends: 'program' | 'host'
      readonly receivers: 'count'
      readonly noDrive: never
      readonly drive: never
      readonly folders: 'count'
      readonly lastUsed: 'when'
      readonly shortcut: 'keys' | 'preset'
      readonly noShortcut: 'preset'
      readonly automatic: never
      readonly notAutomatic: never
    }
    readonly settingSearch: {
      readonly label: never
      readonly clear: never
      readonly results: never
      readonly found: 'count' | 'query'
      readonly hits: 'count'
      readonly none: 'query'
      readonly noneHint: never
      readonly inPresets: never
      readonly showPresets: never
      readonly foundBy: 'path' | 'words'
      readonly on: never
      readonly off: never
      readonly starred: never
      readonly clipboardShortcut: never
      readonly clipboardPreset: never
    }
    readonly settingWords: {
      readonly language: never
      readonly appearance: never
      readonly startAtLogin: never
      readonly closeToTray: never
      readonly showTray: never
      readonly globalShortcut: never
      readonly notificationsDone: never
      readonly notificationsProblems: never
      readonly notificationsFailed: never
      readonly notificationsDrive: never
      readonly notificationsService: never
      readonly notificationsWatch: never
      readonly defaultPresets: never
      readonly newJobChoices: never
      readonly defaultOutput: never
      readonly doneFiles: never
      readonly quickDrop: never
      readonly starredPresets: never
      readonly watchFolders: never
      readonly whenDone: never
      readonly keepAwake: never
      readonly quietPlugged: never
      readonly quietBetween: never
      readonly quietIdle: never
      readonly leaveRoom: never
      readonly outboxPaused: never
      readonly afterJobProgram: never
      readonly afterJobUrl: never
      readonly afterJobOn: never
      readonly receivers: never
      readonly vault: never
      readonly keepOriginalsDays: never
      readonly history: never
      readonly keepHistoryDays: never
      readonly showSpaceSaved: never
      readonly connection: never
      readonly baseUrl: never
      readonly otherServices: never
      readonly seesFiles: never
      readonly strictVersion: never
      readonly rclonePath: never
      readonly assistantsEnabled: never
      readonly assistantsFolders: never
      readonly clipboardShortcut: never
      readonly clipboardPreset: never
      readonly clipboardAutomatic: never
      readonly clipboardIgnoredApps: never
      readonly grouping: never
      readonly interrupted: never
      readonly checkForUpdates: never
      readonly settingsFile: never
      readonly diagnostics: never
      readonly licenses: never
    }
    readonly vaultSettings: {
      readonly title: never
      readonly nothing: never
      readonly held: 'files' | 'size' | 'count'
      readonly away: 'count'
      readonly deletedAfter: 'count'
      readonly neverDeleted: never
      readonly keepFor: never
      readonly forever: never
      readonly in: 'folder'
      readonly unlisted: 'folder'
      readonly showJobs: never
      readonly restoreFolder: never
      readonly restoreFolderHint: never
      readonly chooseFolder: never
      readonly empty: never
      readonly emptyTitle: never
      readonly emptyText: 'count' | 'size' | 'disks'
      readonly unrestored: 'text' | 'files' | 'count'
      readonly disks: 'count'
      readonly emptyVerb: never
    }
    readonly connectionSettings: {
      readonly onThisComputer: never
      readonly onThisComputerHint: never
      readonly keySaved: never
      readonly replace: never
      readonly keepKey: never
      readonly test: never
      readonly use: never
      readonly forget: never
      readonly inKeychain: never
      readonly inSession: never
      readonly works: 'version'
      readonly testWorks: 'version'
      readonly driveAccount: 'email'
      readonly others: never
      readonly othersHint: never
      readonly addOther: never
      readonly name: never
      readonly nameHint: never
      readonly addTitle: never
      readonly add: never
      readonly change: never
      readonly changeTitle: 'name'
      readonly save: never
      readonly makeMain: never
      readonly check: never
      readonly remove: never
      readonly removeTitle: 'name'
      readonly removeText: 'main'
      readonly removeVerb: never
      readonly moreFor: 'name'
      readonly startsWhenNeeded: never
      readonly builtInHint: never
      readonly seesFiles: never
      readonly seesFilesHint: never
      readonly strict: 'known'
      readonly strictHint: never
      readonly diagnostics: never
      readonly diagnosticsHint: never
      readonly drive: never
      readonly driveHint: never
      readonly rcloneMissing: never
      readonly getRclone: never
      readonly chooseRclone: never
      readonly noRemote: never
      readonly noRemotes: never
      readonly lookAgain: never
    }
    readonly watchSettings: {
      readonly intro: never
      readonly none: never
      readonly add: never
      readonly folder: never
      readonly scanning: never
      readonly watching: never
      readonly sent: 'taken'
      readonly watchingTaken: 'taken'
      readonly leftOut: 'what'
      readonly links: 'count'
      readonly special: 'count'
      readonly ignored: 'count'
      readonly empty: 'count'
      readonly unprocessed: 'count'
      readonly open: 'count'
      readonly retried: 'count'
      readonly off: never
      readonly missing: never
      readonly notFolder: never
      readonly unreadable: never
      readonly foreignLink: never
      readonly repeated: never
      readonly question: 'count'
      readonly take: 'count'
      readonly leave: never
      readonly switchFor: 'folder'
      readonly moreFor: 'folder'
      readonly change: never
      readonly remove: never
      readonly titleNew: never
      readonly titleChange: never
      readonly chooseFirst: never
      readonly subfolders: never
      readonly together: never
      readonly seconds: never
      readonly save: never
      readonly saveChange: never
    }
    readonly notificationSettings: {
      readonly done: never
      readonly doneHint: never
      readonly problems: never
      readonly failed: never
      readonly drive: never
      readonly service: never
      readonly serviceHint: never
      readonly watch: never
      readonly silent: never
      readonly all: never
      readonly none: never
      readonly allExcept: 'list'
      readonly only: 'list'
    }
    readonly notificationKinds: {
      readonly done: never
      readonly problems: never
      readonly failed: never
      readonly drive: never
      readonly service: never
      readonly watch: never
    }
    readonly generalSettings: {
      readonly startAtLogin: never
      readonly startAtLoginHint: never
      readonly closeToTray: never
      readonly closeToTrayHint: never
      readonly showTray: never
      readonly showTrayHint: never
      readonly noTray: never
      readonly howToTray: never
      readonly appearance: never
      readonly system: never
      readonly light: never
      readonly dark: never
      readonly language: never
      readonly systemLanguage: 'language'
      readonly translated: 'share'
      readonly helpTranslate: never
      readonly shortcut: never
      readonly shortcutHint: never
      readonly shortcutHintDesktop: never
      readonly shortcutHintNotInstalled: 'file' | 'folder'
      readonly noShortcut: never
      readonly keepAwake: never
      readonly whenDone: never
      readonly nothing: never
      readonly sound: never
      readonly quit: never
      readonly sleep: never
      readonly history: never
      readonly historySince: 'jobs' | 'date'
      readonly keepFor: never
      readonly showSpaceSaved: never
      readonly always: never
      readonly days: 'count'
      readonly saveHistory: never
      readonly saveJson: never
      readonly saveCsv: never
      readonly clearHistory: never
      readonly clearTitle: never
      readonly clearText: 'count'
      readonly clearKeepsVault: never
      readonly clearVerb: never
      readonly updates: never
      readonly updatesHint: never
      readonly updateNoSource: never
      readonly updateUnsigned: never
      readonly updatePortable: never
      readonly updateNone: 'version'
      readonly updateChecking: never
      readonly updateAvailable: 'version'
      readonly updateDownloading: 'version' | 'percent'
      readonly updateReady: 'version'
      readonly updateInstall: 'version'
      readonly updateBadSignature: never
      readonly updateNotReachable: never
      readonly updateDiskFull: 'detail'
      readonly updateFailed: 'detail'
      readonly updateBusy: never
      readonly updateByHand: never
      readonly updateState: never
      readonly checkNow: never
      readonly releases: never
      readonly aboutShort: 'version'
      readonly aboutHint: 'version'
      readonly licences: never
    }
    readonly afterJob: {
      readonly lead: never
      readonly program: never
      readonly programHint: never
      readonly choose: never
      readonly noProgram: never
      readonly removeProgram: never
      readonly url: never
      readonly urlHint: never
      readonly outcomes: never
      readonly whenDone: never
      readonly whenProblems: never
      readonly whenFailed: never
      readonly noOutcome: never
      readonly sent: never
      readonly sentHint: never
      readonly copyExample: never
      readonly copyKey: never
      readonly exampleCopied: never
      readonly keyCopied: never
      readonly test: never
      readonly testProgram: never
      readonly testUrl: never
      readonly tryNow: never
      readonly unused: never
      readonly runningProgram: never
      readonly runningUrl: never
      readonly forFolder: never
      readonly same: never
      readonly nothing: never
      readonly other: never
    }
    readonly receivers: {
      readonly title: never
      readonly hint: never
      readonly add: never
      readonly addTitle: never
      readonly changeTitle: 'name'
      readonly service: never
      readonly address: never
      readonly token: never
      readonly optionalToken: never
      readonly kept: never
      readonly when: never
      readonly never: never
      readonly unencrypted: never
      readonly confirmFirst: never
      readonly notPrivate: never
      readonly noTopic: never
      readonly noToken: never
      readonly saveNew: never
      readonly save: never
      readonly moreFor: 'name'
      readonly edit: never
      readonly remove: never
      readonly testNamed: 'name'
    }
    readonly settingsFile: {
      readonly title: never
      readonly hint: never
      readonly export: never
      readonly import: never
      readonly from: 'file'
      readonly fromComputer: 'file' | 'computer' | 'date'
      readonly setting: never
      readonly now: never
      readonly next: never
      readonly none: never
      readonly changed: never
      readonly preset: never
      readonly watchedFolder: never
      readonly rules: never
      readonly others: never
      readonly notFound: 'path'
      readonly never: never
      readonly afterJobOff: never
      readonly assistantsOff: never
      readonly newer: 'count'
      readonly unreadable: 'count'
      readonly canUndo: never
      readonly importCount: 'count'
      readonly imported: 'count'
      readonly unsaved: 'names'
      readonly notExported: 'names'
      readonly leftOut: 'names'
      readonly unconfirmed: 'names'
      readonly same: never
      readonly notSettings: never
    }
    readonly jobsSettings: {
      readonly replaceHint: never
      readonly startWith: never
      readonly startWithHint: never
      readonly choices: never
      readonly choicesHint: never
      readonly choicesTasks: never
      readonly doneHint: never
      readonly dropped: never
      readonly ask: never
      readonly askHint: never
      readonly atOnce: never
      readonly atOnceHint: never
      readonly several: never
      readonly done: never
      readonly skipDone: never
      readonly doAgain: never
      readonly interrupted: never
      readonly resume: never
      readonly askFirst: never
      readonly clipboardShortcut: never
      readonly clipboardHint: never
      readonly clipboardAutomatic: never
      readonly clipboardAutomaticHint: never
      readonly clipboardNotAutomatic: never
      readonly ignoredApps: never
      readonly ignoredAppsExample: never
      readonly ignoredAppsHint: never
      readonly ignoredAppsUnavailable: never
      readonly shortcutForNewJob: 'shortcut'
      readonly shortcutForClipboard: 'shortcut'
      readonly lastChoice: never
    }
    readonly assistants: {
      readonly allow: never
      readonly allowHint: never
      readonly folders: never
      readonly noFolder: never
      readonly addFolder: never
      readonly remove: 'folder'
      readonly removed: 'folder'
      readonly command: never
      readonly commandHint: never
      readonly commandTemporary: never
      readonly copy: never
      readonly copied: never
      readonly activity: never
      readonly nothing: never
      readonly showAll: never
      readonly refused: 'path'
      readonly refusedCall: never
      readonly outside: never
      readonly leadsOutside: never
      readonly outputOutside: never
      readonly tooManyFiles: never
      readonly off: never
      readonly running: never
    }
    readonly driveDialog: {
      readonly title: never
      readonly label: never
      readonly orById: never
      readonly use: never
      readonly useNamed: 'name'
      readonly myDrive: never
      readonly path: never
      readonly more: 'count'
      readonly enter: never
      readonly loading: never
      readonly empty: never
      readonly notLoaded: never
      readonly stillById: never
      readonly reconnect: never
      readonly announced: 'name' | 'folders'
      readonly folders: 'count'
    }
    readonly firstRun: {
      readonly title: never
      readonly intro: never
      readonly running: never
      readonly foundAt: 'address' | 'version'
      readonly another: never
      readonly nothingAt: 'address'
      readonly somethingElse: 'address'
      readonly looking: never
      readonly apiKey: never
      readonly showKey: never
      readonly hideKey: never
      readonly keyHint: never
      readonly keyHintSession: never
      readonly address: never
      readonly builtIn: never
      readonly builtInHint: never
      readonly otherAddress: never
      readonly lookAgain: never
      readonly goOn: never
      readonly choices: never
    }
  }
  readonly studio: {
    readonly label: {
      readonly name: never
      readonly description: never
      readonly look: never
      readonly maxBytes: never
      readonly mayShrink: never
      readonly quality: never
      readonly crf: never
      readonly bitrate: never
      readonly width: never
      readonly height: never
      readonly fit: never
      readonly format: never
      readonly metadata: never
      readonly hdr: never
      readonly subtitles: never
      readonly subtitleLanguages: never
      readonly fileDate: never
      readonly crop: never
      readonly rotate: never
      readonly colour: never
      readonly background: never
      readonly grayscale: never
      readonly animation: never
      readonly enlarge: never
      readonly lossless: never
      readonly effort: never
      readonly bitDepth: never
      readonly codec: never
      readonly audio: never
      readonly audioBitrate: never
      readonly audioLanguages: never
      readonly fps: never
      readonly engine: never
      readonly container: never
      readonly speed: never
      readonly resultName: never
      readonly neverLarger: never
      readonly keepBelowQuality: never
      readonly keepBelowNumber: never
      readonly folders: never
      readonly brightness: never
      readonly saturation: never
      readonly hue: never
      readonly rotation: never
      readonly cutOff: never
      readonly mirror: never
      readonly seed: never
    }
    readonly help: {
      readonly languages: never
      readonly background: never
      readonly engine: never
      readonly speed: never
      readonly resultName: never
      readonly keepBelowQuality: never
    }
    readonly choice: {
      readonly format_jpeg: never
      readonly format_webp: never
      readonly format_avif: never
      readonly format_jxl: never
      readonly format_png: never
      readonly format_tiff: never
      readonly format_same: never
      readonly rotate_0: never
      readonly rotate_90: never
      readonly rotate_180: never
      readonly rotate_270: never
      readonly colour_srgb: never
      readonly colour_keep: never
      readonly bitDepth_same: never
      readonly bitDepth_8: never
      readonly bitDepth_10: never
      readonly codec_h264: never
      readonly codec_hevc: never
      readonly codec_av1: never
      readonly codec_vp9: never
      readonly codec_webp: never
      readonly codec_gif: never
      readonly codec_copy: never
      readonly codec_none: never
      readonly audio_keep: never
      readonly audio_aac: never
      readonly audio_opus: never
      readonly audio_none: never
      readonly engine_auto: never
      readonly engine_software: never
      readonly engine_hardware: never
      readonly container_same: never
      readonly container_mp4: never
      readonly container_mov: never
      readonly container_mkv: never
      readonly container_webm: never
      readonly container_webp: never
      readonly container_gif: never
      readonly metadata_keep: never
      readonly metadata_strip_location: never
      readonly metadata_strip: never
      readonly speed_ultrafast: never
      readonly speed_veryfast: never
      readonly speed_fast: never
      readonly speed_medium: never
      readonly speed_slow: never
    }
    readonly choiceHelp: {
      readonly format_jpeg: never
      readonly format_webp: never
      readonly format_avif: never
      readonly format_jxl: never
      readonly format_png: never
      readonly format_tiff: never
      readonly format_same: never
      readonly codec_h264: never
      readonly codec_hevc: never
      readonly codec_av1: never
      readonly codec_vp9: never
      readonly codec_webp: never
      readonly codec_gif: never
      readonly codec_copy: never
      readonly codec_none: never
      readonly metadata_keep: never
      readonly metadata_strip_location: never
      readonly metadata_strip: never
    }
    readonly dimension: {
      readonly label: never
      readonly own: never
      readonly longest: never
      readonly width: never
      readonly height: never
      readonly inside: never
      readonly contain: never
      readonly cover: never
      readonly pixels: never
      readonly ownHeight: never
      readonly ownRate: never
      readonly atMost: never
      readonly noCrop: never
      readonly otherCrop: never
      readonly aspect: never
      readonly unit: never
    }
    readonly fieldUnit: {
      readonly pixels: never
      readonly kilobits: never
      readonly percent: never
      readonly degrees: never
    }
    readonly goal: {
      readonly title: never
      readonly look: never
      readonly size: never
      readonly fixed: never
      readonly limits: never
      readonly limitsHint: never
      readonly sizeHint: never
      readonly least: 'size' | 'width' | 'height'
      readonly letShrink: never
      readonly qualityHint: never
      readonly crfHint: never
      readonly smaller: never
      readonly closer: never
      readonly same: never
      readonly zoomed: never
      readonly sideBySide: never
      readonly softer: never
      readonly draft: never
      readonly sliderText: 'value' | 'words'
      readonly numberOf: 'label'
      readonly commonSizes: never
      readonly losslessFormat: 'format'
      readonly lossless: never
      readonly untouched: never
      readonly audioOnly: never
      readonly gif: never
    }
    readonly summary: {
      readonly ownSize: never
      readonly pixels: 'pixels'
      readonly box: 'width' | 'height'
      readonly lines: 'height'
      readonly nothingLost: never
      readonly look: 'look'
      readonly under: 'size'
      readonly limits: never
      readonly quality: 'quality'
      readonly crf: 'crf'
      readonly bitrate: 'rate'
      readonly placeRemoved: never
      readonly damaged: 'reason'
      readonly semicolon: never
      readonly betweenSentences: never
    }
    readonly presetList: {
      readonly title: never
      readonly yours: never
      readonly defaults: never
      readonly newPreset: never
      readonly more: never
      readonly moreFor: 'name'
      readonly photos: never
      readonly videos: never
      readonly both: never
      readonly changed: never
      readonly unsaved: 'count'
      readonly newUnsaved: never
      readonly newJobs: never
      readonly waitingJobs: 'count'
      readonly watchFolders: 'count'
      readonly none: never
      readonly star: 'name'
      readonly starHint: never
      readonly starHintNoMenu: never
      readonly starHintNone: never
      readonly starHintNoneNoMenu: never
      readonly starCount: 'count' | 'most'
      readonly fileManagerUnsupported: never
      readonly fileManagerNotInstalled: never
      readonly turnOnInFinder: never
      readonly starsFull: never
      readonly starred: 'name' | 'count' | 'most'
      readonly unstarred: 'name' | 'count' | 'most'
      readonly duplicate: never
      readonly rename: never
      readonly newName: never
      readonly export: never
      readonly reset: never
      readonly remove: never
      readonly import: never
      readonly exportAll: never
      readonly showFolder: never
      readonly restore: 'count'
      readonly removed: 'name'
      readonly wasReset: 'name'
      readonly restored: 'count'
      readonly undo: never
      readonly copyOf: 'name'
      readonly imported: 'count'
      readonly renamed: 'was' | 'name'
      readonly leftOut: 'name'
      readonly leftOutText: 'message' | 'line'
      readonly leftOutRest: 'name'
      readonly moreThan: 'count' | 'line'
      readonly dismiss: never
    }
    readonly studio: {
      readonly backToPresets: never
      readonly backToDraft: never
      readonly view: never
      readonly form: never
      readonly json: never
      readonly more: never
      readonly for: never
      readonly part: never
      readonly photos: never
      readonly videos: never
      readonly both: never
      readonly formLabel: never
      readonly jsonLabel: never
      readonly main: never
      readonly keep: never
      readonly also: never
      readonly groupMore: never
      readonly notListed: never
      readonly listAgain: 'what'
      readonly picture: never
      readonly encoder: never
      readonly results: never
      readonly variations: never
      readonly makeVariations: never
      readonly makeVariationsHint: never
      readonly forEachFile: never
      readonly saved: never
      readonly changes: 'count'
      readonly notSavedYet: never
      readonly cantSave: never
      readonly showFault: never
      readonly revert: never
      readonly save: never
      readonly savedToast: 'name'
      readonly edit: never
      readonly useForJob: never
      readonly saveAs: never
    }
    readonly note: {
      readonly hdrLost: 'codec'
      readonly useCodec: 'codec'
    }
    readonly fault: {
      readonly nameTaken: 'name'
      readonly nameWrong: never
      readonly range: 'label' | 'min' | 'max'
      readonly choice: 'label' | 'choices'
      readonly unknown: 'field'
      readonly neither: never
      readonly tooLarge: never
      readonly codecInContainer: 'container' | 'codec' | 'codecs'
      readonly untouched_height: never
      readonly untouched_fps: never
      readonly untouched_crop: never
      readonly untouched_rotate: never
      readonly untouched_grayscale: never
      readonly invalid: 'label'
      readonly unreadable: 'detail'
      readonly excluded: 'label' | 'other'
      readonly needsSide: never
      readonly needsBothSides: never
      readonly needsMaxBytes: 'label'
      readonly tenBitPhoto: never
      readonly tenBitVideo: 'codec'
      readonly notWhenCopied: 'label'
      readonly notInAnimation: 'label'
      readonly notWithoutPicture: 'label'
      readonly needsAudio: never
      readonly templateBraces: never
      readonly templateCharacter: never
      readonly templateEdges: never
      readonly templateUnique: never
      readonly and: 'first' | 'last'
      readonly useContainer: 'container'
      readonly keep_height: never
      readonly keep_fps: never
      readonly keep_crop: never
      readonly keep_rotate: never
      readonly keep_grayscale: never
      readonly leaveOut: never
      readonly line: 'line' | 'words'
      readonly lastReadable: never
      readonly commaMissing: 'near'
      readonly commaTooMany: never
      readonly colonMissing: 'near'
      readonly nameMissing: 'near'
      readonly valueMissing: never
      readonly notAValue: 'near'
      readonly quoteMissing: never
      readonly notClosed: 'near'
      readonly afterTheEnd: 'near'
    }
  }
  readonly rules: {
    readonly table: {
      readonly rules: 'count'
      readonly waiting: 'count'
      readonly waitingFor: 'count' | 'preset'
      readonly unreadable: never
    }
    readonly page: {
      readonly lead: never
      readonly leadWithout: never
      readonly list: never
      readonly add: never
      readonly allFiles: never
      readonly everythingElse: never
      readonly edit: never
      readonly moreFor: 'number'
      readonly handle: 'number'
      readonly change: never
      readonly moveUp: never
      readonly moveDown: never
      readonly duplicate: never
      readonly delete: never
      readonly deleted: 'number'
      readonly moved: 'from' | 'to' | 'count'
      readonly unreadable: never
      readonly replace: never
      readonly options: never
      readonly withSubfolders: never
      readonly withoutSubfolders: never
      readonly groups: 'seconds'
      readonly separate: never
      readonly skipsDone: never
      readonly again: never
      readonly neverAgain: never
    }
    readonly condition: {
      readonly everyFile: never
      readonly files: never
      readonly photos: never
      readonly videos: never
      readonly which: 'files' | 'which'
      readonly sizeMore: 'size'
      readonly sizeLess: 'size'
      readonly widthMore: 'pixels'
      readonly widthLess: 'pixels'
      readonly heightMore: 'pixels'
      readonly heightLess: 'pixels'
      readonly durationMore: 'time'
      readonly durationLess: 'time'
      readonly ageMore: 'time'
      readonly ageLess: 'time'
      readonly nameMatches: 'pattern'
      readonly nameDiffers: 'pattern'
      readonly subfolder: 'path'
      readonly depthMore: 'count'
      readonly depthLess: 'count'
      readonly seconds: 'amount'
      readonly minutes: 'amount'
      readonly hours: 'count'
      readonly days: 'count'
      readonly weeks: 'count'
    }
    readonly action: {
      readonly ignored: never
      readonly and: 'first' | 'last'
      readonly toFolder: 'presets' | 'folder'
      readonly toDrive: 'presets'
      readonly nextTo: 'presets'
      readonly nextToIn: 'presets' | 'name'
      readonly replaces: 'presets'
      readonly missing: 'preset'
      readonly waiting: 'count'
    }
    readonly editor: {
      readonly title: 'number'
      readonly titleNew: never
      readonly when: never
      readonly everyFile: never
      readonly addCondition: never
      readonly removeCondition: never
      readonly condition: never
      readonly comparison: never
      readonly unit: never
      readonly thenHeading: never
      readonly action: never
      readonly process: never
      readonly ignore: never
      readonly inVault: 'count'
      readonly inVaultForever: never
      readonly save: never
      readonly kind: never
      readonly name: never
      readonly size: never
      readonly dimensions: never
      readonly duration: never
      readonly age: never
      readonly subfolder: never
      readonly is: never
      readonly matches: never
      readonly matchesNot: never
      readonly isLarger: never
      readonly isSmaller: never
      readonly isWider: never
      readonly isNarrower: never
      readonly isTaller: never
      readonly isShorter: never
      readonly isMore: never
      readonly isLess: never
      readonly isDeeper: never
      readonly isLessDeep: never
      readonly photo: never
      readonly video: never
      readonly seconds: 'count'
      readonly minutes: 'count'
      readonly hours: 'count'
      readonly days: 'count'
      readonly weeks: 'count'
      readonly levels: 'count'
      readonly pixels: never
      readonly pattern: never
      readonly path: never
    }
    readonly fault: {
      readonly pattern: never
      readonly path: never
      readonly size: never
      readonly pixels: never
      readonly seconds: never
      readonly minutes: never
      readonly hours: never
      readonly days: never
      readonly weeks: never
      readonly levels: never
    }
    readonly dryRun: {
      readonly try: never
      readonly running: 'count'
      readonly stop: never
      readonly close: never
      readonly tried: 'count'
      readonly stopped: 'count'
      readonly nothingStarted: never
      readonly empty: never
      readonly failed: never
      readonly hits: 'count'
      readonly more: 'count'
      readonly announced: 'count'
      readonly announcedRule: 'number' | 'count'
      readonly announcedRest: 'count'
      readonly filesOf: 'number'
      readonly filesOfRest: never
      readonly dimensions: 'width' | 'height'
    }
  }
  readonly desktop: {
    readonly app: {
      readonly name: never
    }
    readonly tray: {
      readonly nothingToDo: never
      readonly working: never
      readonly waiting: 'count'
      readonly jobsWaitHere: 'count'
      readonly offlineWaiting: 'count'
      readonly offline: never
      readonly diskFull: never
      readonly dataNotWritten: never
      readonly jobsHaveProblems: 'count'
      readonly problemsOf: 'name' | 'problems'
      readonly failedOf: 'name'
      readonly didItArrive: 'name'
      readonly refusedOf: 'name'
      readonly startWith: 'preset'
      readonly newJob: never
      readonly processClipboard: never
      readonly processClipboardWith: 'preset'
      readonly showLastResult: 'name'
      readonly open: never
      readonly settings: never
      readonly quit: never
      readonly cancelThis: never
      readonly showProblems: never
      readonly retryFiles: 'count'
      readonly enterKey: never
      readonly choose: never
      readonly useBuiltIn: never
      readonly tryAgain: never
    }
    readonly notification: {
      readonly withLosses: 'body' | 'lost' | 'kinds'
      readonly photosReady: 'count'
      readonly videosReady: 'count'
      readonly filesReady: 'count'
      readonly resultsReady: 'count'
      readonly ofResultsReady: 'done' | 'count'
      readonly ofPhotosReady: 'done' | 'count'
      readonly ofVideosReady: 'done' | 'count'
      readonly ofFilesReady: 'done' | 'count'
      readonly inFolder: 'name' | 'folder'
      readonly notProcessed: 'count' | 'names'
      readonly failed: 'name'
      readonly unchanged: 'reason'
      readonly unchangedMany: 'reason'
      readonly photosInDrive: 'count'
      readonly videosInDrive: 'count'
      readonly filesInDrive: 'count'
      readonly uploadedIn: 'name' | 'time'
      readonly uploadFailed: never
      readonly notInDrive: 'missing' | 'count' | 'reason'
      readonly notInDrivePlain: 'reason'
      readonly keyRejected: never
      readonly keyRejectedBody: never
      readonly keyRejectedWaiting: 'count'
      readonly notRunning: never
      readonly notRunningBody: 'count'
      readonly summary: 'count'
      readonly summaryBody: 'count'
      readonly summaryProblems: 'ready' | 'count'
      readonly startingHint: never
      readonly clipboardReady: 'size'
      readonly clipboardReadyBody: 'size' | 'preset'
      readonly saveAs: never
      readonly undo: never
      readonly edit: never
      readonly pickNotStarted: never
      readonly pickNoMedia: 'count'
      readonly pickNoPresetForPhotos: never
      readonly pickNoPresetForVideos: never
      readonly pickPresetUnknown: 'preset'
      readonly showInFolder: never
      readonly retry: never
      readonly tryAgain: never
      readonly originalsInVault: 'name'
      readonly stillInTray: never
      readonly stillInTrayBody: never
      readonly test: 'what'
      readonly released: 'count'
      readonly releasedBody: 'file' | 'count'
      readonly watchTrouble: never
      readonly watchTroubleBody: 'folder'
      readonly watchForeignLink: never
      readonly watchForeignLinkBody: 'folder'
      readonly watchUnreadable: never
      readonly watchUnreadableBody: 'folder'
      readonly watchQuestion: 'count'
      readonly watchQuestionBody: 'folder'
      readonly watchPresetMissing: 'count' | 'preset'
      readonly watchPresetMissingBody: 'folder'
      readonly watchNotStarted: never
      readonly watchNotStartedBody: 'folder'
      readonly unexpected: never
      readonly unexpectedBody: never
    }
    readonly menu: {
      readonly file: never
      readonly edit: never
      readonly view: never
      readonly window: never
      readonly help: never
      readonly newJob: never
      readonly addFiles: never
      readonly addFolder: never
      readonly search: never
      readonly helpPage: never
      readonly installCommand: never
    }
    readonly command: {
      readonly installed: 'name'
      readonly taken: 'name'
      readonly byHand: never
      readonly copy: never
      readonly close: never
      readonly moveFirst: never
      readonly moveFirstDetail: never
    }
    readonly dialog: {
      readonly chooseFiles: never
      readonly chooseToStart: 'preset'
      readonly start: never
      readonly chooseFolder: never
      readonly choosePreview: never
      readonly chooseOutput: never
      readonly restoreFolder: never
      readonly restore: never
      readonly importPresets: never
      readonly exportPresets: never
      readonly importSettings: never
      readonly exportSettings: never
      readonly saveResult: never
      readonly saveHistory: never
      readonly saveDiagnostics: never
      readonly mediaFiles: never
      readonly allFiles: never
      readonly add: never
      readonly cancel: never
      readonly reach: never
      readonly reachService: 'address'
      readonly reachServiceDetail: never
      readonly reachHostDetail: never
      readonly notStarted: never
      readonly notStartedDetail: 'detail'
      readonly newerData: 'file'
      readonly dataInUse: never
      readonly dataInUseDetail: 'folder'
      readonly dataLost: never
      readonly dataLostDetail: 'folder'
      readonly tryAgain: never
      readonly quit: never
      readonly linkRange: 'first' | 'last' | 'count'
      readonly showMore: never
      readonly linkAdds: 'count'
      readonly choose: never
      readonly chooseWatched: never
      readonly chooseRclone: never
      readonly chooseForAssistants: never
      readonly chooseHook: never
    }
    readonly programFault: {
      readonly missing: never
      readonly notAFile: never
      readonly notRunnable: never
      readonly foreignOwner: never
      readonly writableByOthers: never
      readonly unchanged: never
    }
    readonly error: {
      readonly unexpected: never
      readonly notAllowed: never
      readonly notUnderstood: never
      readonly otherService: never
      readonly fileGone: never
      readonly fileForeign: never
      readonly folderNotChosen: never
      readonly programNotChosen: never
      readonly keyLocked: never
      readonly keyMissing: never
      readonly addressLocked: never
      readonly addressMissing: never
      readonly notMedia: never
      readonly noImage: never
      readonly shortcutTaken: 'shortcut'
      readonly shortcutTakenHint: never
      readonly loginNeedsApproval: never
      readonly loginNeedsApprovalHint: never
      readonly menuNotUpdated: 'message'
      readonly menuNotUpdatedHint: never
      readonly presetGone: never
      readonly recordGone: never
      readonly builtInOnly: never
    }
    readonly task: {
      readonly newJob: never
      readonly newJobHint: never
      readonly pasteImage: never
      readonly pasteImageHint: never
    }
  }
  readonly failures: {
    readonly failure: {
      readonly fileReplaced: 'name'
      readonly fileEmpty: never
      readonly fileUnreadable: 'reason'
      readonly fileDamaged: 'reason'
      readonly fileIsFolder: never
      readonly fileNotRegular: never
      readonly fileInternal: never
      readonly fileUnexpected: 'detail'
      readonly pathInvalid: never
      readonly pathNotAbsolute: never
      readonly extensionMissing: 'extensions'
      readonly extensionUnsupported: 'extension' | 'extensions'
      readonly photoHoldsVideo: never
      readonly videoHoldsPhoto: never
      readonly photoHoldsOther: never
      readonly videoHoldsOther: never
      readonly notEnoughMemory: never
      readonly photoUnknown: never
      readonly photoOfOtherKind: 'format'
      readonly photoUnsupported: never
      readonly bitmapUnsupported: 'bits' | 'compression'
      readonly tiffUnsupported: 'reason'
      readonly photoTooLarge: 'width' | 'height' | 'megapixels' | 'limit'
      readonly animationTooLarge: 'width' | 'height' | 'frames' | 'megapixels' | 'limit'
      readonly photoOverLimit: 'limit'
      readonly photoTooComplex: never
      readonly photoNeedsMemory: never
      readonly resultSideTooLong: 'width' | 'height' | 'format' | 'limit'
      readonly photoNotSmallEnough: 'maxKilobytes' | 'kilobytes' | 'width' | 'height'
      readonly photoNotSmallEnoughAsIs: 'maxKilobytes' | 'kilobytes' | 'width' | 'height'
      readonly notAVideo: never
      readonly videoEncrypted: never
      readonly noVideoTrack: never
      readonly noAudioTrack: never
      readonly noVideoDecoder: 'codec'
      readonly dolbyVision: never
      readonly losslessImpossible: 'detail'
      readonly frameNotChanged: never
      readonly videoNotDecoded: 'detail'
      readonly videoNotEncoded: 'detail'
      readonly videoNotWritten: 'detail'
      readonly videoNotChanged: 'detail'
      readonly videoNotCompared: 'detail'
      readonly videoNotCopied: 'detail'
      readonly videoNotPrepared: 'detail'
      readonly videoNotSmallEnough: 'kilobytes'
      readonly sizeGoalImpossible: never
      readonly passthroughChanges: never
      readonly containerLacksCodec: 'container' | 'codec'
      readonly passthroughImpossible: 'container' | 'codec'
      readonly animationTooLong: 'limit' | 'seconds'
      readonly animationOfUnknownLength: 'limit'
      readonly shuttingDown: never
      readonly workerUnusable: 'detail'
      readonly workerKilled: never
      readonly workerGaveUp: never
      readonly workerCrashed: 'detail'
      readonly tookTooLong: never
      readonly workerMisbehaved: never
      readonly resultDiffers: never
      readonly metadataRemains: never
      readonly diskFull: never
      readonly resultNotSaved: never
      readonly folderFull: 'folder'
      readonly folderNotWritable: 'folder' | 'reason'
      readonly folderNotReal: 'folder'
      readonly diskRemoved: 'folder'
      readonly resultNotSavedIn: 'folder' | 'reason'
      readonly resultUnexpected: 'folder' | 'detail'
      readonly tooLittleSpace: 'folder' | 'freeBytes' | 'neededBytes'
      readonly presetNotForPhotos: 'preset'
      readonly presetNotForVideos: 'preset'
      readonly cloudDrive: 'reason'
      readonly cloudDriveSilent: 'remote'
      readonly cloudDriveNotConnected: 'remote' | 'reason'
      readonly remoteMissing: 'remote'
      readonly rcloneMissing: never
      readonly rcloneUnusable: 'path' | 'reason'
      readonly noRemoteChosen: never
      readonly notFetched: 'reason'
      readonly nameNotUnique: never
      readonly driveFolderEmpty: 'id'
      readonly driveFolderUnusable: 'id'
      readonly driveFolderTooLarge: 'limit'
      readonly notUploaded: 'reason'
      readonly uploadStopped: never
      readonly uploadNotStarted: never
      readonly uploadInternal: never
      readonly jobInternal: never
      readonly jobUnknown: never
      readonly jobEnded: never
      readonly jobOnlyUploads: never
      readonly jobNotCompleted: never
      readonly jobTooLarge: 'limit'
      readonly queueFull: 'count'
      readonly nothingToProcess: never
      readonly presetChanged: 'preset'
      readonly presetUnknown: 'preset'
      readonly photoNotForPreset: 'preset' | 'path'
      readonly videoNotForPreset: 'preset' | 'path'
      readonly oneInput: never
      readonly oneOutput: never
      readonly folderIdInvalid: 'field' | 'reason'
      readonly outputNotAbsolute: never
      readonly outputUnusable: 'folder' | 'reason'
      readonly clientGone: never
      readonly resultUnknown: 'index'
      readonly resultInDrive: never
      readonly resultGone: never
      readonly indexInvalid: never
      readonly uploadNameMissing: never
      readonly uploadNameUnsupported: never
      readonly uploadEmpty: never
      readonly uploadTooLarge: never
      readonly uploadsFull: never
      readonly uploadsTooMany: never
      readonly uploadsBusy: never
      readonly uploadNoSpace: never
      readonly bodyTooLarge: never
      readonly bodyNotJson: never
      readonly bodyTypeNotJson: never
      readonly bodyTypeNotBytes: never
      readonly bodyTypeWrong: never
      readonly requestInvalid: 'detail'
      readonly requestMalformed: never
      readonly requestInternal: never
      readonly requestNotHttp: never
      readonly requestTooSlow: never
      readonly headersTooLarge: never
      readonly routeUnknown: never
      readonly keyInvalid: never
      readonly hostForeign: never
      readonly pageForeign: never
      readonly resultMissing: 'path'
      readonly inputUnaccounted: never
      readonly inputsUnaccounted: 'count'
      readonly resultsMissing: 'made' | 'count'
      readonly originalNotRestored: 'name' | 'reason'
      readonly vaultNotFound: 'name' | 'folder'
      readonly originalElsewhere: 'name' | 'folder'
      readonly originalNotInVault: 'name'
      readonly changeNotNoted: 'name'
      readonly notReplacedAgain: 'name' | 'reason'
      readonly originalNotReplaced: 'name' | 'reason'
      readonly originalsGone: never
      readonly processedElsewhere: 'path'
      readonly outputChanged: never
      readonly notStaged: 'reason'
      readonly originalChanged: never
      readonly folderReplaced: never
      readonly builtInOnly: 'format'
      readonly originalsTooLarge: never
      readonly requestTooLong: never
      readonly idReused: never
      readonly jobReplaced: never
      readonly resultNotFetched: 'reason'
      readonly resultNotFetchedWhy: 'detail'
      readonly localUnreadable: 'path' | 'reason'
      readonly localUnwritable: 'path' | 'reason'
      readonly localExists: 'path'
      readonly localChanged: 'name'
      readonly localNotAFile: 'name'
      readonly localEmpty: 'name'
      readonly localUnsupported: 'name'
      readonly localTooLarge: 'name'
      readonly serviceUnreachable: 'reason'
      readonly serviceSilent: 'reason'
      readonly serviceOffline: never
      readonly serviceInternal: 'status'
      readonly serviceRefused: 'status'
      readonly serviceReported: 'detail'
      readonly serviceStatusUnknown: 'route' | 'status'
      readonly serviceResponseInvalid: 'route' | 'field' | 'detail'
      readonly serviceSentNoMedia: never
      readonly keyRejected: never
      readonly keyMissing: never
      readonly keyUnusable: never
      readonly notKnownToService: never
      readonly jobIdInvalid: 'id'
      readonly driveNotConnected: never
      readonly serviceQueueFull: never
      readonly jobInWrongState: never
      readonly stopped: never
    }
    readonly failureReason: {
      readonly missing: never
      readonly denied: never
      readonly readOnly: never
      readonly full: never
      readonly notAFolder: never
      readonly foreignLink: never
      readonly exists: never
      readonly nameTooLong: never
      readonly tooLarge: never
      readonly tooManyOpen: never
      readonly diskError: never
      readonly systemError: 'code'
      readonly unknown: never
      readonly cantBeCreated: never
      readonly entryUnreadable: never
      readonly notInVault: never
      readonly folderNotWritable: never
      readonly folderMissing: never
      readonly changedSince: never
      readonly headerCutOff: never
      readonly headerSizeUnknown: never
      readonly noDimensions: never
      readonly pixelsMissing: never
      readonly paletteMissing: never
      readonly bitFieldsCutOff: never
      readonly rowsMissing: never
      readonly rowsBreakOff: never
      readonly imagePartMissing: never
      readonly partsContradict: never
      readonly imageEndsEarly: never
      readonly imageMissing: never
      readonly imageNotDecodable: never
      readonly tiffIntegers: 'bits'
      readonly tiffSigned: 'bits'
      readonly tiffFloats: 'bits'
      readonly tiffComplex: 'bits'
      readonly tiffMixed: never
      readonly tiffColors: 'code'
      readonly tiffCompression: 'codec'
      readonly brightnessUnchangeable: never
      readonly framesNotDecodable: never
      readonly mostFramesNotDecodable: never
      readonly partNotDecodable: never
      readonly contentUnknown: never
      readonly indexMissing: never
      readonly indexTooLong: never
      readonly beginningUnreadable: never
      readonly secondsMissing: 'seconds' | 'promised' | 'from'
      readonly audioSecondsMissing: 'seconds' | 'promised' | 'track' | 'from'
      readonly shareMissing: 'share'
      readonly programMissing: never
      readonly programNotAFile: never
      readonly programNotRunnable: never
      readonly programForeign: never
      readonly programWritable: never
      readonly driveQuota: never
      readonly driveBusy: never
      readonly driveLocked: never
      readonly driveSignIn: never
      readonly drivePermission: never
      readonly driveNotFound: never
      readonly driveNetwork: never
      readonly driveUnexplained: never
      readonly driveFolderTooLarge: never
      readonly rcloneNotStarted: 'code'
      readonly rcloneEnded: never
      readonly driveOther: 'detail'
      readonly driveFolderMissing: 'id'
      readonly driveFolderIsFile: 'id'
      readonly driveFileGone: never
      readonly timeout: never
      readonly nothingListening: never
      readonly hostUnknown: never
      readonly hostNotLookedUp: never
      readonly hostUnreachable: never
      readonly networkMissing: never
      readonly connectTimeout: never
      readonly connectionBroken: never
      readonly connectionClosed: never
      readonly answerCutShort: never
      readonly clientClosed: never
      readonly idEmpty: never
      readonly idTooLong: never
      readonly idUnusual: never
      readonly idIsLink: never
      readonly idLeadsOut: never
      readonly idNotOfDrive: never
    }
  }
  readonly losses: {
    readonly loss: {
      readonly pages: 'first' | 'last' | 'count'
      readonly frames: 'count'
      readonly frameTiming: never
      readonly dimensions: 'width' | 'height'
      readonly pixelAspect: never
      readonly alpha: never
      readonly bitDepth: 'bits'
      readonly color: never
      readonly inks: never
      readonly hdr: never
      readonly gainMap: never
      readonly exif: never
      readonly xmp: never
      readonly iptc: never
      readonly comment: never
      readonly camera: never
      readonly captureDate: never
      readonly author: never
      readonly location: never
      readonly tags: 'count'
      readonly motionPhoto: 'seconds'
      readonly depthMap: never
      readonly embeddedImages: 'count'
      readonly appendedData: never
      readonly contentCredentials: never
      readonly metadataBlock: 'detail'
      readonly clippingPath: never
      readonly layers: never
      readonly extraChannels: 'count'
      readonly georeference: never
      readonly startSeconds: 'seconds'
      readonly middleSeconds: 'seconds' | 'from'
      readonly endSeconds: 'seconds'
      readonly videoTrack: 'track'
      readonly audioTrack: 'track' | 'detail'
      readonly audioChannels: 'track' | 'detail'
      readonly losslessAudio: 'track' | 'detail'
      readonly audioQuality: 'track' | 'detail'
      readonly subtitles: 'track' | 'detail'
      readonly subtitlePlaces: 'count' | 'track'
      readonly subtitleStyles: 'count' | 'track'
      readonly chapters: 'count'
      readonly chapterNames: 'count' | 'detail'
      readonly chapterOrder: never
      readonly attachments: 'count'
      readonly dataTrack: 'track' | 'detail'
      readonly trackLanguage: 'count'
      readonly trackTitle: 'count'
      readonly trackFlags: 'count'
      readonly rotation: never
      readonly spherical: never
      readonly stereo3d: never
      readonly dolbyVision: never
      readonly chroma: 'detail'
      readonly fields: never
      readonly frameRate: 'count'
      readonly playbackSpeed: 'seconds' | 'from'
    }
    readonly lossLabel: {
      readonly page: 'page'
    }
    readonly lossReason: {
      readonly holdsOnePage: 'format'
      readonly holdsOneFrame: 'format'
      readonly formatLacksIt: 'format'
      readonly formatLacksThem: 'format'
      readonly formatLacksKind: 'format'
      readonly formatBits: 'format' | 'bits'
      readonly formatLimit: 'format'
      readonly noFormat: never
      readonly undecodable: never
      readonly damaged: never
      readonly encoderLacks: 'codec'
      readonly notWritten: never
    }
    readonly lossKind: {
      readonly pages: never
      readonly frames: never
      readonly frameTiming: never
      readonly dimensions: never
      readonly pixelAspect: never
      readonly alpha: never
      readonly bitDepth: never
      readonly color: never
      readonly inks: never
      readonly hdr: never
      readonly gainMap: never
      readonly exif: never
      readonly xmp: never
      readonly iptc: never
      readonly comment: never
      readonly camera: never
      readonly captureDate: never
      readonly author: never
      readonly location: never
      readonly tags: never
      readonly motionPhoto: never
      readonly depthMap: never
      readonly embeddedImages: never
      readonly appendedData: never
      readonly contentCredentials: never
      readonly metadataBlock: never
      readonly clippingPath: never
      readonly layers: never
      readonly extraChannels: never
      readonly georeference: never
      readonly startSeconds: never
      readonly middleSeconds: never
      readonly endSeconds: never
      readonly videoTrack: never
      readonly audioTrack: never
      readonly audioChannels: never
      readonly losslessAudio: never
      readonly audioQuality: never
      readonly subtitles: never
      readonly subtitlePlaces: never
      readonly subtitleStyles: never
      readonly chapters: never
      readonly chapterNames: never
      readonly chapterOrder: never
      readonly attachments: never
      readonly dataTrack: never
      readonly trackLanguage: never
      readonly trackTitle: never
      readonly trackFlags: never
      readonly rotation: never
      readonly spherical: never
      readonly stereo3d: never
      readonly dolbyVision: never
      readonly chroma: never
      readonly fields: never
      readonly frameRate: never
      readonly playbackSpeed: never
    }
    readonly lossAhead: {
      readonly files: 'count' | 'what'
      readonly kind: 'files' | 'what' | 'why'
    }
    readonly lossList: {
      readonly two: 'first' | 'second'
      readonly more: 'first' | 'second'
    }
  }
  readonly terminal: {
    readonly usage: {
      readonly error: 'why'
      readonly hint: never
      readonly help: never
      readonly wholeNumber: 'least'
      readonly fieldAndValue: never
      readonly decision: never
      readonly remoteOrNone: never
      readonly mcpStreams: never
      readonly stdinAlone: never
      readonly stdinTwice: never
      readonly stdinNoFolder: never
      readonly stdoutOnePhoto: never
      readonly stdoutOneResult: never
      readonly stdoutTwice: never
      readonly stdoutNotWith: never
      readonly noInput: never
      readonly filesOrDrive: never
      readonly uploadOrDrive: never
      readonly keyNeedsAddress: never
      readonly noService: 'name' | 'known'
      readonly settingsDamaged: 'file'
      readonly settingsUnreadable: 'file'
      readonly serviceUnread: 'names' | 'file'
      readonly stdinTerminal: never
      readonly stdoutBuiltIn: never
      readonly stdoutClosed: never
      readonly notAPhoto: 'file'
      readonly notOneFile: 'file' | 'count'
    }
    readonly helpHeading: {
      readonly usage: never
      readonly operands: never
      readonly options: never
      readonly globalOptions: never
      readonly commands: never
    }
    readonly commandHelp: {
      readonly program: never
      readonly submit: never
      readonly retry: never
      readonly history: never
      readonly undo: never
      readonly redo: never
      readonly vault: never
      readonly vault_empty: never
      readonly outbox: never
      readonly outbox_send: never
      readonly outbox_resolve: never
      readonly jobs: never
      readonly job: never
      readonly cancel: never
      readonly download: never
      readonly estimate: never
      readonly presets: never
      readonly watch: never
      readonly status: never
      readonly stats: never
      readonly clear: never
      readonly diagnostics: never
      readonly drive: never
      readonly drive_remotes: never
      readonly drive_use: never
      readonly drive_folders: never
      readonly drive_status: never
      readonly mcp: never
      readonly 'check-service': never
      readonly complete: never
      readonly settings: never
      readonly settings_export: never
      readonly settings_check: never
      readonly settings_import: never
    }
    readonly optionHelp: {
      readonly help: never
      readonly baseUrl: never
      readonly service: never
      readonly keyStdin: never
      readonly json: never
      readonly quiet: never
      readonly verbose: never
      readonly licences: never
      readonly preset: 'tasks' | 'presets'
      readonly presetFolders: never
      readonly output: 'output'
      readonly beside: never
      readonly replace: never
      readonly yes: 'folders'
      readonly driveInput: never
      readonly driveOutput: never
      readonly count: never
      readonly separate: never
      readonly skipDone: never
      readonly again: never
      readonly upload: never
      readonly wait: never
      readonly watch: never
      readonly search: never
      readonly outcome: never
      readonly history_preset: never
      readonly limit: 'limit'
      readonly csv: never
      readonly empty_yes: never
      readonly import_yes: never
      readonly allowService: never
      readonly export_output: never
      readonly unrestored: never
      readonly send_watch: never
      readonly jobs_watch: never
      readonly part: never
      readonly index: never
      readonly to: never
      readonly fields: never
      readonly once: never
      readonly check: never
      readonly none: never
      readonly fillQueue: never
    }
    readonly operandHelp: {
      readonly submit_files: never
      readonly estimate_files: never
      readonly files: never
      readonly retry_id: never
      readonly undo_id: never
      readonly redo_id: never
      readonly cancel_id: never
      readonly folders_id: never
      readonly decision: never
      readonly url: never
      readonly file: never
    }
    readonly settingHelp: {
      readonly custom: never
      readonly title: never
      readonly photos: 'text'
      readonly videos: 'text'
      readonly limits: 'named' | 'min' | 'max'
      readonly maxSize: never
      readonly bitrate: never
      readonly maxHeight: never
      readonly languages: never
      readonly under: never
      readonly removeLocation: never
      readonly crop: never
      readonly set: never
    }
    readonly settingFaults: {
      readonly otherService: 'options'
      readonly onePreset: 'options'
      readonly noPhotos: 'preset' | 'option'
      readonly noVideos: 'preset' | 'option'
      readonly allVideos: 'option'
      readonly allPhotos: 'option'
      readonly losslessJpeg: 'option'
      readonly invalid: never
      readonly mustBe: 'option' | 'range'
      readonly choiceOr: 'option' | 'choices' | 'range'
      readonly range: 'min' | 'max'
      readonly whole: 'min' | 'max'
    }
    readonly waits: {
      readonly key: never
      readonly keychain: never
      readonly builtIn: never
      readonly response: 'address'
      readonly retrying: 'trouble' | 'detail'
      readonly jobList: 'address' | 'why'
      readonly saving: never
      readonly unreadable: 'job' | 'field'
      readonly unreadableHolds: 'unreadable' | 'folder'
      readonly accepting: 'name'
      readonly uploading: 'name' | 'sent' | 'total'
      readonly checking: 'name'
      readonly queueFull: 'name'
      readonly sending: 'name' | 'why'
      readonly results: never
      readonly job: 'name' | 'state'
      readonly jobs: 'name' | 'count' | 'state'
      readonly quiet: 'why'
      readonly blocked: 'trouble'
      readonly blockedByKey: 'trouble'
      readonly blockedByQueue: never
      readonly noneAccepted: 'why'
      readonly otherWatches: never
      readonly watching: never
      readonly hook: never
      readonly otherCompares: never
      readonly comparing: 'count' | 'total'
      readonly searching: 'count'
      readonly stdin: never
      readonly photo: never
      readonly samples: never
      readonly rclone: never
      readonly otherJobs: never
    }
    readonly notWritten: {
      readonly full: 'folder'
      readonly readOnly: 'folder'
      readonly denied: 'folder'
      readonly locked: 'folder'
      readonly failed: 'folder'
    }
    readonly stops: {
      readonly retrying: 'trouble'
      readonly freeSpace: 'trouble'
      readonly resolve: 'trouble'
      readonly dataGone: 'folder'
      readonly replaced: never
      readonly notOpened: 'detail'
      readonly notCompleted: 'detail'
      readonly notStarted: 'detail'
      readonly badAddress: 'detail'
      readonly serviceEnded: 'detail'
      readonly serviceGone: never
      readonly offline: 'trouble' | 'detail'
      readonly noJobList: 'address' | 'why'
      readonly noResponse: 'address'
      readonly lastSeen: 'trouble' | 'why'
      readonly stuck: never
      readonly earlier: 'count'
      readonly unfinished: 'count'
      readonly notAllReplaced: never
      readonly notConfirmed: never
      readonly continueThere: never
      readonly continueHere: never
      readonly nobodyWatches: never
      readonly appWatches: never
      readonly noFolders: never
      readonly noFoldersLeft: never
      readonly correct: never
    }
    readonly followed: {
      readonly unread: 'names' | 'file' | 'otherwise'
      readonly unreadFolders: 'names' | 'file' | 'otherwise'
      readonly unreadRules: 'names' | 'file'
      readonly earlierApply: never
      readonly readAgain: 'file'
      readonly missing: 'file'
      readonly damaged: 'file'
      readonly unreadable: 'file'
    }
    readonly answers: {
      readonly stdinUnusable: 'why'
      readonly stdinTooLarge: 'size'
      readonly stdinNoPhoto: never
      readonly subfolderIsFile: 'file'
      readonly elsewhere: 'folder' | 'to'
      readonly confirm: 'question'
      readonly useYes: never
      readonly noRecord: 'id'
      readonly noJobOrRecord: 'id'
      readonly noFailedFiles: never
      readonly photoFailed: 'why'
      readonly outboxEmpty: never
      readonly otherService: 'count'
      readonly nothingToSend: never
      readonly notInOutbox: 'id'
      readonly isSending: never
      readonly notUndecided: never
      readonly alreadyCancelling: 'job'
      readonly alreadyCancelled: 'id'
      readonly cancelLater: 'id'
      readonly hasEnded: 'job' | 'outcome'
      readonly hadEnded: 'job' | 'outcome'
      readonly originalsStay: never
      readonly originalsAre: 'counts'
      readonly noJobs: never
      readonly downloading: never
      readonly notRecorded: 'path' | 'detail'
      readonly onlyOwnPresets: never
      readonly noPreset: 'name'
    }
    readonly undo: {
      readonly already: never
      readonly nothing: never
      readonly nothingIn: 'path'
      readonly expired: 'count'
      readonly filesAfterRecord: never
      readonly waiting: 'count' | 'id'
      readonly lost: never
      readonly notReplaced: never
      readonly notOfRecord: 'path'
    }
    readonly redo: {
      readonly already: never
      readonly nothing: never
      readonly nothingIn: 'path'
      readonly expired: 'count'
    }
    readonly submissions: {
      readonly ofPart: 'name' | 'preset' | 'part'
      readonly accepted: 'job' | 'name'
      readonly refused: 'name' | 'reason'
      readonly unknown: 'id' | 'name'
      readonly mayBe: 'job' | 'name' | 'preset' | 'status'
      readonly decide: 'id'
      readonly checking: 'id' | 'name' | 'cause' | 'time'
      readonly decideNow: 'id'
      readonly kept: 'id' | 'name' | 'reason'
      readonly keptMany: 'count' | 'names' | 'reason'
      readonly keptHint: never
      readonly waiting: 'id' | 'name'
      readonly waitingFor: 'id' | 'target' | 'name'
      readonly sending: 'id' | 'name'
      readonly entryUnknown: 'id' | 'name'
      readonly entryRefused: 'id' | 'name'
      readonly adopted: 'id'
      readonly waits: 'id'
      readonly removedMeanwhile: 'id'
      readonly removed: 'id'
    }
    readonly refusals: {
      readonly invalid: never
      readonly drive: never
      readonly tooLarge: never
      readonly inputsGone: never
      readonly service: never
    }
    readonly uncertain: {
      readonly crash: never
      readonly timeout: never
      readonly broken: never
      readonly serverError: never
      readonly badResponse: never
    }
    readonly keptBecause: {
      readonly turn: 'count'
      readonly queueFull: never
      readonly offline: never
      readonly keyRefused: never
      readonly wrongVersion: never
      readonly unconfigured: never
      readonly paused: never
      readonly time: never
      readonly power: never
      readonly idle: never
      readonly diskFull: never
      readonly editing: 'count'
      readonly undo: 'count'
      readonly output: 'count'
      readonly serviceFailed: 'count'
    }
    readonly partStates: {
      readonly done: never
      readonly problems: never
      readonly failed: never
      readonly cancelled: never
      readonly forgotten: never
      readonly accepted: never
      readonly waiting: never
      readonly refused: never
      readonly unknown: never
      readonly removed: never
    }
    readonly partsIn: {
      readonly done: 'count'
      readonly problems: 'count'
      readonly failed: 'count'
      readonly cancelled: 'count'
      readonly forgotten: 'count'
      readonly accepted: 'count'
      readonly waiting: 'count'
      readonly refused: 'count'
      readonly unknown: 'count'
      readonly removed: 'count'
    }
    readonly jobsIn: {
      readonly done: 'count'
      readonly problems: 'count'
      readonly failed: 'count'
      readonly cancelled: 'count'
      readonly forgotten: 'count'
    }
    readonly recordStates: {
      readonly waiting: never
      readonly sending: never
      readonly unknown: never
      readonly refused: never
      readonly accepted: never
      readonly after: 'state' | 'results'
      readonly notFinished: never
      readonly notAllReplaced: 'outcome'
    }
    readonly jobReport: {
      readonly parts: 'count'
      readonly someOf: 'done' | 'count'
      readonly inFolders: 'text' | 'folders'
      readonly problem: 'what'
      readonly problemOf: 'preset' | 'what'
      readonly skipped: 'what'
      readonly notProcessed: 'files'
      readonly accepted: 'count'
      readonly unconfirmed: 'count'
      readonly refused: 'count'
      readonly refusedStay: 'count'
      readonly retry: 'id'
      readonly processOthers: 'id'
      readonly retryMany: never
      readonly processOthersMany: never
      readonly found: 'count'
      readonly noneFound: never
      readonly shown: 'shown' | 'total'
      readonly uploading: never
      readonly listed: 'jobs' | 'waiting'
      readonly listedIdle: 'jobs' | 'waiting'
      readonly cancelled: 'job'
      readonly cancelling: 'job'
      readonly cancellingIn: 'job' | 'status'
      readonly cleared: 'count'
    }
    readonly fileReport: {
      readonly more: 'names' | 'count'
      readonly notTaken: 'file' | 'reason'
      readonly notTakenMany: 'files' | 'reason' | 'names'
      readonly done: 'files'
      readonly pending: 'files'
      readonly results: 'results'
      readonly nothingElse: never
      readonly notSubmitted: 'reason'
      readonly nothingMeasured: never
      readonly saved: 'size' | 'count'
      readonly processed: 'count' | 'before' | 'after'
      readonly ofPreset: 'preset' | 'text'
      readonly notForThese: never
      readonly estimate: 'size' | 'share'
      readonly estimateIn: 'size' | 'share' | 'range'
    }
    readonly serviceReport: {
      readonly using: 'address'
      readonly running: 'address' | 'version' | 'jobs'
      readonly runningUntested: 'address' | 'version' | 'jobs'
      readonly drive: never
      readonly driveOf: 'email'
      readonly driveNotConnected: never
      readonly driveNotConfigured: never
      readonly tasks: never
      readonly presetsForPhotos: never
      readonly presetsForVideos: never
      readonly presetDamaged: 'name' | 'folder' | 'reason'
      readonly text: never
      readonly number: never
      readonly wholeNumber: never
      readonly limits: 'values' | 'min' | 'max'
      readonly rule: 'title' | 'section'
      readonly passed: 'rule'
      readonly failed: 'rule' | 'detail'
      readonly notChecked: 'rule' | 'detail'
      readonly checked: 'checks' | 'passed' | 'failed' | 'notChecked'
      readonly leftJob: 'job'
      readonly noFolders: never
      readonly driveConnected: 'name'
      readonly driveTrouble: 'reason'
      readonly driveDisconnected: never
      readonly driveChosen: 'name'
      readonly noRclone: never
      readonly noRemotes: never
      readonly chooseRemote: never
      readonly remoteInUse: 'version'
      readonly about: 'about' | 'message'
    }
    readonly nextSteps: {
      readonly notReachable: never
      readonly unauthorized: never
      readonly notFound: never
    }
    readonly originalsReport: {
      readonly keptWithResult: 'path' | 'reason' | 'result'
      readonly kept: 'path' | 'reason'
      readonly undo: 'id'
      readonly restored: 'path'
      readonly restoredNewer: 'path'
      readonly restoredBoth: 'path'
      readonly replacedAgain: 'path'
      readonly none: never
      readonly total: 'files' | 'size'
      readonly untilEmptied: never
      readonly untilDay: 'count'
      readonly away: 'count'
      readonly awayStay: 'away'
      readonly emptied: 'files' | 'size'
      readonly notDeleted: 'files'
      readonly released: 'path'
      readonly unlisted: 'folder'
      readonly unrestored: 'path'
      readonly unrestoredKept: 'path'
      readonly reading: never
      readonly confirm: 'files' | 'size'
      readonly useYes: never
    }
    readonly folderReport: {
      readonly watching: 'folders'
      readonly unblocked: never
      readonly missing: 'folder'
      readonly notFolder: 'folder'
      readonly foreignLink: 'folder'
      readonly repeated: 'folder'
      readonly unreadable: 'folder'
      readonly unreadableFiles: 'folder' | 'count' | 'names'
      readonly noPreset: 'folder' | 'preset'
      readonly presetMissing: 'folder' | 'count' | 'preset'
      readonly open: 'folder' | 'count' | 'names'
      readonly retried: 'folder' | 'count' | 'names'
      readonly links: 'folder' | 'count' | 'names'
      readonly special: 'folder' | 'count' | 'names'
      readonly ignored: 'folder' | 'count' | 'names'
      readonly empty: 'folder' | 'count' | 'names'
      readonly notStarted: 'folder' | 'reason'
      readonly notTaken: 'folder' | 'reason'
      readonly programDone: never
      readonly urlDone: never
      readonly messageDone: never
      readonly programFailed: 'tries' | 'why'
      readonly urlFailed: 'tries' | 'why'
      readonly messageFailed: 'tries' | 'why'
      readonly hookAgain: never
      readonly hookGivenUp: never
    }
    readonly settingsReport: {
      readonly change: 'name' | 'now' | 'next'
      readonly newPreset: 'name'
      readonly changedPreset: 'name'
      readonly same: never
      readonly notSettings: never
      readonly notRead: 'file' | 'detail'
      readonly missing: 'path'
      readonly notFound: 'path'
      readonly afterJob: never
      readonly assistants: never
      readonly newer: 'names'
      readonly unreadable: 'names'
      readonly confirm: never
      readonly useYes: never
      readonly settings: 'count'
      readonly imported: 'what'
      readonly unsaved: 'name'
      readonly notExported: 'names' | 'file'
      readonly leftOut: 'names'
      readonly useService: 'address'
      readonly newService: 'address'
    }
  }
  readonly client: {
    readonly client: {
      readonly folderGone: never
      readonly homeUnknown: never
      readonly outputFailed: 'detail'
      readonly dataFolderFailed: 'detail'
      readonly silent: 'pid'
      readonly waiting: never
      readonly dataUsed: 'pid' | 'folder'
      readonly ended: 'next'
      readonly replaced: 'next'
      readonly inputLost: 'next'
    }
    readonly continued: {
      readonly everything: never
      readonly perhaps: never
      readonly submissions: never
      readonly nothing: never
    }
  }
}
