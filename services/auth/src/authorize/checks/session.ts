import type { SignedIn } from "../authorization-code.store.ts";
import type { SignInWish } from "./prompt.ts";

export type Wanted = SignInWish & {
	/** When the browser was last sent to the sign-in page for this very request. */
	sentAt: Date | undefined;
	/** The only people who will do, where the client insists (a hint, or a `sub` in the claims). */
	subjects: readonly string[];
	now: Date;
};

/** Whether the session will do, or the person has to sign in (again): who they are, how long ago, and since the client asked. */
export function isSignedInAsWanted(
	{ userId, authTime }: SignedIn,
	{ isAnew, maxAgeSeconds, sentAt, subjects, now }: Wanted,
): boolean {
	if (subjects.some((subject) => subject !== userId)) return false;
	const isSinceAsked = sentAt !== undefined && authTime >= sentAt;
	if (isSinceAsked) return true;
	const ageSeconds = (now.getTime() - authTime.getTime()) / 1_000;
	return !isAnew && (maxAgeSeconds === undefined || ageSeconds < maxAgeSeconds);
}
