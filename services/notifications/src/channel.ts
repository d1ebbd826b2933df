/** The channels of a message: the four of §2.1, and the inbox of the suite. */
export const channels = ["email", "sms", "push", "whatsapp", "in_app"] as const;
export type Channel = (typeof channels)[number];

/** The languages that every platform template has. The first is the fallback. */
export const locales = ["en", "sw"] as const;
export type Locale = (typeof locales)[number];
