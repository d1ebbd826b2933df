/** What a request requires of the time of the sign-in (OpenID Connect Core §3.1.2.1). */
export type SignInTime = {
	prompts: ReadonlySet<string>;
	maxAgeSeconds: number | undefined;
	/** When the browser was sent to the sign-in page for this request; undefined if it was not. */
	sentAt: Date | undefined;
	now: Date;
};

/**
 * The earliest sign-in that satisfies `prompt` and `max_age`: undefined if every one does, "infinity" if
 * none does. A sign-in since the browser was sent to the sign-in page always does. `consent` and unknown
 * values of `prompt` have no effect: the administrator who registered the client has consented (§3.1.2.4),
 * and there is no page to show.
 */
export function earliestSignIn({
	prompts,
	maxAgeSeconds,
	sentAt,
	now,
}: SignInTime): Date | "infinity" | undefined {
	const mustRepeat = prompts.has("login") || prompts.has("select_account");
	if (!mustRepeat && maxAgeSeconds === undefined) return undefined;
	// A sign-in that is exactly max_age old is too old; times have milliseconds.
	const youngEnough =
		mustRepeat || maxAgeSeconds === undefined ? [] : [now.getTime() - maxAgeSeconds * 1_000 + 1];
	const times = [...youngEnough, ...(sentAt === undefined ? [] : [sentAt.getTime()])];
	return times.length === 0 ? "infinity" : new Date(Math.min(...times));
}
