/** The number of consecutive wrong PINs that locks a person at a till. */
export const failuresMax = 5;

/** How long that lock lasts. The count starts at zero after it. */
export const lockSeconds = 15 * 60;

/** A count expires after a day without an attempt. */
export const countLifeSeconds = 86_400;

/**
 * The number of wrong PINs within an hour, at all terminals of the tenant together, that locks a person at
 * all of them.
 */
export const hourlyFailuresMax = 20;

/** The hour in which failures are counted, and how long the lock lasts unless a new PIN is set. */
export const hourSeconds = 3_600;

/** The time so many seconds after another one. */
export const after = (time: Date, seconds: number): Date => new Date(time.getTime() + seconds * 1_000);
