import { ClientError } from "@lango/client";
import type { Texts } from "../texts/english.ts";

export type Explanation = {
	/** The problem and what to do. */
	message: string;
	/** The same where the time to wait is counted down beside it. */
	counted?: { message: string; seconds: number };
	/** The name of the invalid field in the form. */
	field?: string;
	/** A reference for support, for an unknown failure. */
	reference?: string;
};

/** The field of an error code, where it is the same in all forms. */
const fieldOf: Readonly<Record<string, string>> = {
	invalid_credentials: "password",
	tenant_not_found: "tenant_slug",
	email_taken: "email",
	slug_taken: "slug",
	slug_reserved: "slug",
	name_reserved: "organization_name",
	password_weak: "password",
	password_wrong: "current_password",
	join_refused: "tenant_slug",
	already_member: "tenant_slug",
};

/**
 * Returns the text for a failure, with the time to wait. An unknown code and another kind of error get a
 * general text.
 */
export function explainRefusal(failure: Error, texts: Texts): Explanation {
	const refusal = failure instanceof ClientError ? failure : new ClientError("unknown", { cause: failure });
	const says = texts.refusal;
	const waiting = (message: string): Explanation => {
		const seconds = refusal.retryAfterSeconds;
		const whole = `${message} ${texts.wait.before(waitIn(seconds, texts))}`;
		return { message: whole, ...(seconds !== undefined && { counted: { message, seconds } }) };
	};
	switch (refusal.code) {
		case "invalid_input":
			return explainField(fieldOfForm(refusal), texts);
		case "rate_limited":
		case "too_many_attempts":
			return waiting(says.too_many_attempts);
		case "unavailable":
		case "too_many_sign_ins":
		case "sign_in_busy":
			return waiting(says.busy);
		case "password_weak":
			return { message: says.password_weak, field: fieldOfForm(refusal) ?? "password" };
		case "late":
			return { message: says.unreachable };
		default:
			return explainCode(refusal, texts);
	}
}

function explainCode({ code, requestId }: ClientError, { refusal: says }: Texts): Explanation {
	const message = Object.hasOwn(says, code) ? says[code as keyof typeof says] : undefined;
	if (typeof message === "string" && code !== "unknown") {
		const field = fieldOf[code];
		return { message, ...(field === undefined ? {} : { field }) };
	}
	return {
		message: says.unknown,
		...(requestId === undefined ? {} : { reference: says.reference(requestId) }),
	};
}

function explainField(field: string | undefined, { invalid, refusal }: Texts): Explanation {
	if (field !== undefined && Object.hasOwn(invalid, field))
		return { message: invalid[field as keyof typeof invalid], field };
	if (field === "organization_name") return { message: invalid.name, field };
	return { message: refusal.invalid_input };
}

/** The name in the form of a field of the service: `organization.name` is `organization_name`. */
function fieldOfForm({ body: { field } }: ClientError): string | undefined {
	const parts = typeof field === "string" ? field.split(/[./]/).filter((part) => part !== "") : [];
	return parts[0] === "organization" && parts[1] === "name" ? "organization_name" : parts.at(-1);
}

/** The text for a delay, rounded up. */
export function waitIn(seconds: number | undefined, { wait }: Texts): string {
	if (seconds === undefined) return wait.moment;
	return seconds < 60 ? wait.seconds(Math.max(1, seconds)) : wait.minutes(Math.ceil(seconds / 60));
}
