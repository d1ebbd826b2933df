const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID in the usual form, of any version and case. */
export const isUuid = (text: string): boolean => form.test(text);
