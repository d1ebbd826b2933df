import { isUuid } from "@lango/postgres";
import type { Report } from "../provider.ts";

/** A stored report, in its JSON form. */
export type StoredReport = Omit<Report, "at"> & { at?: string };

const refMax = 300;
const codeMax = 100;

/**
 * Returns a stored report with only what the database can hold: a provider passes on texts that others
 * chose. An id that is not a UUID is left out, and texts are shortened.
 */
export function readStoredReport(stored: unknown): StoredReport {
	const { ref, code, tenantId, deliveryId, ...report } = stored as StoredReport;
	return {
		...report,
		...optional("ref", readText(ref, refMax)),
		...optional("code", readText(code, codeMax)),
		...optional("tenantId", readId(tenantId)),
		...optional("deliveryId", readId(deliveryId)),
	};
}

/** PostgreSQL refuses NUL and halves of surrogate pairs. */
const readText = (text: unknown, max: number) =>
	typeof text === "string" ? text.replaceAll("\0", "").slice(0, max).toWellFormed() : undefined;

const readId = (text: unknown) => (typeof text === "string" && isUuid(text) ? text : undefined);

const optional = <K extends string>(name: K, value: string | undefined) =>
	value === undefined ? {} : ({ [name]: value } as { [key in K]: string });
