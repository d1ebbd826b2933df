import { useFailureTexts } from "./texts.ts";

type Texts = ReturnType<typeof useFailureTexts>;

/** What failed: something that is paid, or money that leaves. Gateways use the same codes for both. */
type Failed = "payment" | "moneyOut";

/** Returns why it failed, in plain words. A gateway's code without words is shown as it is. */
export function reasonOf(texts: Texts, failed: Failed, code: string): string {
	const reasons: Readonly<Record<string, string>> = { ...texts.any, ...texts[failed] };
	return (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ?? texts.other(code);
}

/** The words of failure codes in the language of the page. */
export function useFailureReason(failed: Failed): (code: string) => string {
	const texts = useFailureTexts();
	return (code) => reasonOf(texts, failed, code);
}
