import { useProfile } from "@lango/client/react";
import { useAuditTexts } from "../../audit/texts.ts";
import { wordFor } from "../../texts/texts.ts";
import { type AuditRow, beginningOf } from "./audit-row.ts";
import { useAuditPageTexts } from "./texts.ts";

/** What says who did something: people by name, who has none by whether they belong here or by the beginning of their id, nobody as the system. */
export function useNameActor(): (row: Pick<AuditRow, "actorId" | "actorName" | "isNamedBySignOn">) => string {
	const words = useAuditPageTexts();
	const profile = useProfile();
	return ({ actorId, actorName, isNamedBySignOn }) => {
		if (actorId === null) return words.nobody;
		if (actorId === profile?.userId) return words.you;
		if (actorName !== null) return actorName;
		return isNamedBySignOn ? words.notOfHere : words.unknownPerson(beginningOf(actorId));
	};
}

/** What says what was done, in the organisation or in a service. */
export function useNameAction(): (action: string) => string {
	const { actions, serviceActions } = useAuditTexts();
	return (action) => wordFor({ ...serviceActions, ...actions }, action);
}
