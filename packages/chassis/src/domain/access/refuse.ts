import { AccessRefused, UnknownToAccess } from "@lango/access";
import { chassisFailures, type Failure } from "../../request/failure.ts";
import type { Domain } from "../assembly/domain.ts";
import { domainFailures } from "../assembly/failures.ts";

const unknown: Readonly<Record<UnknownToAccess["what"], readonly [message: string, field: string]>> = {
	role: ["There is no such role.", "code"],
	user: ["This service does not know this person. People become known when they first come.", "user_id"],
	outlet: ["There is no such outlet.", "outlet_id"],
	outlets: ["There is no such outlet.", "outlet_ids"],
	permission: ["There is no such permission.", "permissions"],
	assignment: ["There is no such assignment.", "id"],
	api_key: ["There is no such key.", "id"],
};

/** Runs a change of access and turns a refusal of `@lango/access` into the failure for the caller. */
export async function refusing<T>(change: () => Promise<T>): Promise<T> {
	try {
		return await change();
	} catch (error) {
		if (error instanceof AccessRefused) throw domainFailures[error.code]({ fields: { ...error.fields } });
		if (error instanceof UnknownToAccess) throw notThere(error.what);
		throw error;
	}
}

/** 404 for something that does not exist or belongs to another tenant, with the field that names it. */
export function notThere(what: UnknownToAccess["what"]): Failure {
	const [message, field] = unknown[what];
	return chassisFailures.not_found({ message, fields: { field } });
}

/**
 * Throws `permission_unknown` for a code that the service does not declare, unless it is in the list of
 * further allowed codes.
 */
export function requireDeclared(
	{ policy }: Pick<Domain, "policy">,
	permissions: readonly string[],
	admitted: readonly string[] = [],
): void {
	const declared: ReadonlySet<string> = new Set([...policy.permissions.map(({ code }) => code), ...admitted]);
	const strange = permissions.findIndex((code) => !declared.has(code));
	if (strange !== -1)
		throw domainFailures.permission_unknown({ fields: { field: `permissions.${strange}`, in: "body" } });
}

/** Reads an end, which must be in the future. Throws `invalid_input` with the field `expires_at`. */
export function endOf(expiresAt: string | null | undefined, now: Date): Date | undefined {
	if (expiresAt === undefined || expiresAt === null) return undefined;
	const end = new Date(expiresAt);
	if (end.getTime() > now.getTime()) return end;
	throw chassisFailures.invalid_input({
		message: "expires_at is a time to come.",
		fields: { field: "expires_at", in: "body" },
	});
}
