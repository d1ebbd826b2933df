import { useProfile } from "@lango/client/react";
import { useAuditTexts } from "../../audit/texts.ts";
import { useTexts, wordFor } from "../../texts/texts.ts";
import { type AuditRow, beginningOf } from "./audit-row.ts";
import { signOn, subscriptions } from "./sources.ts";
import { useAuditPageTexts } from "./texts.ts";

/**
 * Returns a function that names an actor: a user by name, otherwise as a former member or by the start of
 * their id; the system if there is no actor.
 */
export function useNameActor(): (row: Pick<AuditRow, "actorId" | "actorName" | "isNamedBySignOn">) => string {
	const words = useAuditPageTexts();
	const profile = useProfile();
	return ({ actorId, actorName, isNamedBySignOn }) => {
		if (actorId === null) return words.system;
		if (actorId === profile?.userId) return words.you;
		if (actorName !== null) return actorName;
		return isNamedBySignOn ? words.notOfHere : words.unknownPerson(beginningOf(actorId));
	};
}

/** Returns a function that names a service. */
export function useNameSource(): (source: string) => string {
	const { organisation, plan } = useAuditPageTexts();
	const { products } = useTexts();
	return (source) => wordFor({ ...products, [signOn]: organisation, [subscriptions]: plan }, source);
}

/** Returns a function that names an action. */
export function useNameAction(): (action: string) => string {
	const { actions, serviceActions } = useAuditTexts();
	return (action) => wordFor({ ...serviceActions, ...actions }, action);
}
