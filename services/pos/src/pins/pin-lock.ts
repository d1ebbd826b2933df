/** So many wrong PINs of a person at a till, one after the other, lock that person there. */
export const failuresMax = 5;

/** For this long. The count begins anew after it. */
export const lockSeconds = 15 * 60;

/** A count is forgotten when nobody has tried for a day. */
export const forgottenSeconds = 86_400;

/** So many wrong PINs of a person within the hour, at all terminals of the tenant together, lock the person at all of them. */
export const hourlyFailuresMax = 20;

/** The hour in which failures are counted, and how long the lock lasts unless a new PIN is set. */
export const hourSeconds = 3_600;
