/**
 * An empty document in which a page shows HTML that others wrote, such as an e-mail. The page puts it into a
 * frame with `sandbox="allow-same-origin"` and writes into it.
 */
export const previewFrame =
	'<!doctype html><html lang="en"><head><title>Preview</title></head><body></body></html>';

/**
 * Builds the policy of that document: no scripts, forms, frames and requests, also if it is opened outside of
 * a frame. Styles may be inline, because e-mails have no others.
 */
export function previewFramePolicy(origins: readonly string[]): string {
	return [
		"default-src 'none'",
		"style-src 'unsafe-inline'",
		["img-src", "data:", "https:", ...origins].join(" "),
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'self'",
		"sandbox allow-same-origin",
	].join("; ");
}
