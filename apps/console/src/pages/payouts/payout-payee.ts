import { useState } from "react";
import { type Command, commandsOf, type ShortcodeKind, shortcodeKinds } from "./payout.queries.ts";

/** The kind of payee of this name; a phone for any other name. */
export const kindNamed = (name: string | undefined): ShortcodeKind =>
	shortcodeKinds.find((kind) => kind === name) ?? "customer";

/** The way of this name to pay a kind of payee; undefined if there is no such way. */
export const commandNamed = (kind: ShortcodeKind, name: string | undefined): Command | undefined =>
	commandsOf[kind].find((command) => command === name);

/** What kind of number a payee has: that of a business can be the number of a till. */
export const numberKind = (kind: ShortcodeKind, command: Command | undefined): ShortcodeKind =>
	command === "MerchantToMerchantTransfer" ? "personal_till" : kind;

/** The payee that is chosen in a form, and the way to pay it: the usual one until another is chosen. */
export function usePayee(first: { kind?: string; command?: string } = {}) {
	const [kind, setKind] = useState(kindNamed(first.kind));
	const [chosen, setCommand] = useState(first.command);
	return {
		...{ kind, command: commandNamed(kind, chosen) ?? commandsOf[kind][0] },
		...{ setKind: (name: string) => setKind(kindNamed(name)), setCommand },
	};
}
