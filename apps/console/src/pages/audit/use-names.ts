import { useProfile } from "@lango/client/react";
import { useAuditTexts } from "../../audit/texts.ts";
import { wordFor } from "../../texts/texts.ts";
import type { AuditRow } from "./audit-row.ts";
import { useAuditPageTexts } from "./texts.ts";

/** What says who did something: people of the tenant by name, others as outsiders, nobody as the system. */
export function useNameActor(): (row: Pick<AuditRow, "actorId" | "actorName">) => string {
	const words = useAuditPageTexts();
	const profile = useProfile();
	return ({ actorId, actorName }) => {
		if (actorId === null) return words.nobody;
		if (actorId === profile?.userId) return words.you;
		return actorName ?? words.somebodyOutside;
	};
}

/** What says what was done, in the organisation or in a service. */
export function useNameAction(): (action: string) => string {
	const { actions, serviceActions } = useAuditTexts();
	return (action) => wordFor({ ...serviceActions, ...actions }, action);
}
