/** A browser session ends after 12 hours without use, and after 14 days in all. */
export const browserIdleSeconds = 12 * 3_600;
export const browserLifeSeconds = 14 * 86_400;

/** The most live browser sessions, and the most live client sessions, that one person has (decision 0010). */
export const sessionsMax = 50;
