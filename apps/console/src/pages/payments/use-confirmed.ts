import { useFormat } from "../../tenant/use-format.ts";
import { usePayingTexts } from "./texts.ts";

type Confirmed = { confirmed_minor: number | null; confirmed_at: string | null };

/** Returns the label of what the gateway last said of a balance, and a function that writes it. */
export function useConfirmed(currency: string) {
	const { confirmed: head, confirmedAt, never } = usePayingTexts().balance;
	const format = useFormat();
	const confirmedOf = ({ confirmed_minor: minor, confirmed_at: at }: Confirmed): string =>
		minor === null || at === null ? never : confirmedAt(format.money(minor, currency), format.time(at));
	return { head, confirmedOf };
}
