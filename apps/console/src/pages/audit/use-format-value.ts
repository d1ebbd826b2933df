import { useQuery } from "@tanstack/react-query";
import { usePlatform } from "../../platform.ts";
import { useRoleTexts } from "../../roles/texts.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { allOutletsQuery } from "../outlets/outlets.queries.ts";
import { useOutletTexts } from "../outlets/texts.ts";
import { useSettingsTexts } from "../settings/texts.ts";
import { useAuditPageTexts } from "./texts.ts";

const instant = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

/**
 * Returns a function that formats a value of the log: roles, outlets and statuses by name, times in the
 * tenant's time zone.
 */
export function useFormatValue(slug: string): (key: string, value: string) => string {
	const words = useAuditPageTexts();
	const { roles } = useRoleTexts();
	const { useCases, statuses } = useTexts();
	const { statuses: outletStatuses } = useOutletTexts();
	const { join: policies, isolation: isolations } = useSettingsTexts();
	const outlets = useQuery(allOutletsQuery(usePlatform(), slug)).data ?? [];
	const format = useFormat();
	const names = Object.fromEntries(outlets.map(({ id, name }) => [id, name]));
	const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
		roles,
		role: roles,
		use_case: useCases,
		status: { ...statuses, inactive: outletStatuses.inactive, archived: outletStatuses.archived },
		join_policy: policies,
		outlet_isolation: isolations,
		outlet_ids: names,
		outlet_id: names,
		outletId: names,
		assigned_outlet_id: names,
	};
	return (key, value) => {
		if (value === "true") return words.yes;
		if (value === "false") return words.no;
		if (instant.test(value)) return format.time(value);
		const table = tables[key];
		if (table === undefined) return value;
		return value
			.split(", ")
			.map((one) => wordFor(table, one))
			.join(", ");
	};
}
