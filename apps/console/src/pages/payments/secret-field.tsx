import { PasswordField } from "@lango/interface";
import { useFormat } from "../../tenant/use-format.ts";
import { usePayingTexts } from "./texts.ts";

/** What a service shows of a stored secret; null: it has none. */
export type ShownSecret = { set_at: string; last4: string } | null;

type SecretField = {
	name: string;
	isInvalid: boolean;
	error: string | undefined;
	label: string;
	shown: ShownSecret;
	isBusy: boolean;
};

/** A secret that is written only: it shows when the stored one was set, and its last characters. */
export function SecretField({ shown, ...field }: SecretField) {
	const words = usePayingTexts();
	const format = useFormat();
	const hint = shown === null ? words.missing : words.stored(format.time(shown.set_at), shown.last4 || "•••");
	return <PasswordField {...field} hint={hint} isOptional autoComplete="off" maxLength={500} />;
}
