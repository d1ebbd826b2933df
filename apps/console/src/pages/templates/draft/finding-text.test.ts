import { type TemplateFindingCode, templateFindings } from "@lango/contracts";
import { expect, test } from "vitest";
import { findingText } from "./finding-text.ts";
import { swahili } from "./findings-swahili.ts";

const codes = Object.keys(templateFindings) as TemplateFindingCode[];
const parametersOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();

test.each(codes)("%s is said in Swahili with the parameters of the English text", (code) => {
	expect(parametersOf(swahili[code])).toEqual(parametersOf(templateFindings[code]));
	expect(swahili[code]).not.toBe(templateFindings[code]);
});

const finding = {
	...{ place: "sms.en.source", code: "tag_unknown" as const, params: { tag: "assign", line: 2 } },
	reason: "The tag assign does not exist, line 2.",
};

test("a finding is in the language of the page, and in English if its code is newer than the page", () => {
	expect(findingText(finding, "en")).toBe(finding.reason);
	expect(findingText(finding, "sw")).toBe("Tagi assign haipo, mstari wa 2.");
	const newer = { ...finding, code: "of_tomorrow" as TemplateFindingCode };
	expect(findingText(newer, "sw")).toBe(finding.reason);
});
