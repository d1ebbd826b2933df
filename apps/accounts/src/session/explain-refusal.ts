import type { Texts } from "../texts/english.ts";
import { Refusal } from "./refusal.ts";

export type Explanation = {
	/** What happened and what to do. */
	message: string;
	/** The field to mend, when one is to blame, by its name in the form. */
	field?: string;
	/** A line for support, when only they can help. */
	reference?: string;
};

/** The field a refusal is about, where it is the same on every form. */
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

/** Turns what failed into words for the person; a code nobody told us about, and a fault that is no refusal, get the general ones. */
export function explainRefusal(fault: Error, texts: Texts): Explanation {
	const refusal = fault instanceof Refusal ? fault : new Refusal("unknown", { cause: fault });
	const says = texts.refusal;
	const wait = () => waitIn(refusal.retryAfterSeconds, texts);
	switch (refusal.code) {
		case "invalid_input":
			return explainField(fieldNamed(refusal.field), texts);
		case "rate_limited":
		case "too_many_attempts":
			return { message: says.too_many_attempts(wait()) };
		case "unavailable":
		case "too_many_sign_ins":
		case "sign_in_busy":
			return { message: says.busy(wait()) };
		case "password_weak":
			return { message: says.password_weak, field: fieldNamed(refusal.field) ?? "password" };
		default:
			return explainCode(refusal, texts);
	}
}

function explainCode({ code, requestId }: Refusal, { refusal: says }: Texts): Explanation {
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

/** The form's name of a field the service names; its `organization.name` is our `organization_name`. */
function fieldNamed(field: string | undefined): string | undefined {
	const parts = field?.split(/[./]/).filter((part) => part !== "") ?? [];
	return parts[0] === "organization" && parts[1] === "name" ? "organization_name" : parts.at(-1);
}

/** A wait in words, never shorter than the service asked for. */
export function waitIn(seconds: number | undefined, { wait }: Texts): string {
	if (seconds === undefined) return wait.moment;
	return seconds < 60 ? wait.seconds(Math.max(1, seconds)) : wait.minutes(Math.ceil(seconds / 60));
}
