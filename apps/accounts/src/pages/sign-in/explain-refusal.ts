import type { Refusal } from "../../session/refusal.ts";
import type { Texts } from "../../texts.ts";

export type Field = "email" | "password";
export type Explanation = {
	/** What happened and what to do. */
	message: string;
	/** The field to mend, when one is to blame. */
	field?: Field;
	/** A line for support, when only they can help. */
	reference?: string;
};

/** Turns a refused sign-in into words for the person; a code nobody told us about gets the general ones. */
export function explainRefusal({ code, field, ...refusal }: Refusal, texts: Texts): Explanation {
	const says = texts.refusal;
	switch (code) {
		case "invalid_credentials":
			return { message: says.invalid_credentials, field: "password" };
		case "invalid_input":
			if (field === "email") return { message: says.invalid_email, field };
			if (field === "password") return { message: says.invalid_password, field };
			return { message: says.invalid_input };
		case "rate_limited":
		case "unavailable":
			return { message: says[code](waitIn(refusal.retryAfterSeconds, texts)) };
		case "tenant_inactive":
		case "unreachable":
			return { message: says[code] };
		default:
			return { message: says.unknown, ...referenceOf(refusal.requestId, texts) };
	}
}

/** A wait in words, never shorter than the service asked for. */
export function waitIn(seconds: number | undefined, { wait }: Texts): string {
	if (seconds === undefined) return wait.moment;
	return seconds < 60 ? wait.seconds(Math.max(1, seconds)) : wait.minutes(Math.ceil(seconds / 60));
}

function referenceOf(requestId: string | undefined, { refusal }: Texts): { reference?: string } {
	return requestId === undefined ? {} : { reference: refusal.reference(requestId) };
}
