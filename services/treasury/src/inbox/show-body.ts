/** Members that charge a card, or that stop and resume its subscription. */
const secret = /("(?:authorization_code|email_token)"\s*:\s*")(?:[^"\\]|\\.)*(")/gi;

/**
 * Returns the text of a body as an operator sees it: without what can charge a card. The stored bytes stay
 * as they came, for the check of their signature and for a replay. Pure.
 */
export const showBody = (raw: Buffer): string => raw.toString("utf8").replace(secret, "$1•••$2");
