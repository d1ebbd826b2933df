/** The languages of the pages, as BCP 47 tags; discovery advertises them as `ui_locales_supported`. */
export const languages = ["en", "sw"] as const;
export type Language = (typeof languages)[number];

/** The themes of the pages; `auto` follows the device. */
export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];
