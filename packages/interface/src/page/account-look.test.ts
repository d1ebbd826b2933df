import { beforeEach, expect, test, vi } from "vitest";
import { chooseLanguage, currentLanguage } from "../texts/language.ts";
import { followAccount, leaveAccount } from "./account-look.ts";

const cookies = new Map<string, string>();
const page = {
	documentElement: { lang: "", dataset: {} },
	get cookie() {
		return [...cookies].map((pair) => pair.join("=")).join("; ");
	},
	set cookie(text: string) {
		const [pair = ""] = text.split(";", 1);
		const [name = "", value = ""] = pair.split("=");
		cookies.set(name, value);
	},
};
let people = 0;
const person = (locale: string | undefined) => ({ userId: `person-${people}`, locale, theme: undefined });
const look = () => [currentLanguage(), cookies.get("lango-language")];

beforeEach(() => {
	vi.stubGlobal("document", page);
	vi.stubGlobal("location", { protocol: "https:" });
	cookies.clear();
	people += 1;
	return () => {
		leaveAccount();
		vi.unstubAllGlobals();
	};
});

test("the account's choice replaces that of the browser; without one, the browser's stays", () => {
	chooseLanguage("en");
	followAccount({ ...person(undefined), keep: async () => true });
	expect(look()).toEqual(["en", "en"]);
	followAccount({ ...person("sw"), keep: async () => true });
	expect(look()).toEqual(["sw", "sw"]);
});

test("an account that was read before a later choice does not undo it", async () => {
	const keep = vi.fn(async () => true);
	followAccount({ ...person("en"), keep });
	chooseLanguage("sw");
	await expect.poll(look).toEqual(["sw", "sw"]);
	expect(keep).toHaveBeenCalledExactlyOnceWith({ locale: "sw" });
	followAccount({ ...person("en"), keep });
	expect(look()).toEqual(["sw", "sw"]);
});

test("a choice that could not be stored with the account stays for its person until the next choice", async () => {
	const keep = vi.fn(async () => false);
	const asha = person("en");
	followAccount({ ...asha, keep });
	chooseLanguage("sw");
	await expect.poll(() => keep.mock.calls.length).toBe(1);
	people += 1;
	followAccount({ ...person(undefined), keep });
	followAccount({ ...asha, keep });
	expect(look()).toEqual(["sw", `sw.${asha.userId}`]);
	keep.mockResolvedValue(true);
	chooseLanguage("en");
	await expect.poll(look).toEqual(["en", "en"]);
});

test("a choice that an earlier page could not store with the account is stored by the next one", async () => {
	const asha = person(undefined);
	cookies.set("lango-language", `sw.${asha.userId}`);
	cookies.set("lango-theme", `dark.${asha.userId}`);
	const keep = vi.fn(async () => true);
	followAccount({ ...asha, keep });
	await expect.poll(() => cookies.get("lango-theme")).toBe("dark");
	expect(cookies.get("lango-language")).toBe("sw");
	expect(keep.mock.calls).toEqual([[{ locale: "sw" }], [{ theme: "dark" }]]);
});

test("a page tries only once to store a choice of an earlier page, and never that of another person", async () => {
	const asha = person("en");
	cookies.set("lango-language", `sw.${asha.userId}`);
	people += 1;
	const keep = vi.fn(async () => false);
	followAccount({ ...person(undefined), keep });
	expect(keep).not.toHaveBeenCalled();
	followAccount({ ...asha, keep });
	followAccount({ ...asha, keep });
	leaveAccount();
	followAccount({ ...asha, keep });
	await expect.poll(() => keep.mock.calls).toEqual([[{ locale: "sw" }]]);
	expect(cookies.get("lango-language")).toBe(`sw.${asha.userId}`);
});

test("a choice of another person that could not be stored gives way to that of the account", async () => {
	const keep = vi.fn(async () => false);
	followAccount({ ...person("en"), keep });
	chooseLanguage("sw");
	await expect.poll(() => keep.mock.calls.length).toBe(1);
	people += 1;
	followAccount({ ...person("en"), keep });
	expect(look()).toEqual(["en", "en"]);
});

test("a choice that fails is reported and does not stop the next one", async () => {
	const report = vi.fn();
	vi.stubGlobal("reportError", report);
	const broken = new Error("broken");
	const keep = vi.fn(async () => true).mockRejectedValueOnce(broken);
	followAccount({ ...person("en"), keep });
	chooseLanguage("sw");
	chooseLanguage("en");
	await expect.poll(look).toEqual(["en", "en"]);
	expect(report).toHaveBeenCalledExactlyOnceWith(broken);
});

test("choices are stored with the account in their order", async () => {
	const stored: (string | undefined)[] = [];
	let first: (isKept: boolean) => void = () => {};
	const keep = ({ locale }: { locale?: string }) => {
		stored.push(locale);
		return stored.length > 1 ? Promise.resolve(true) : new Promise<boolean>((done) => (first = done));
	};
	followAccount({ ...person("en"), keep });
	chooseLanguage("sw");
	chooseLanguage("en");
	await expect.poll(() => stored).toEqual(["sw"]);
	first(true);
	await expect.poll(() => stored).toEqual(["sw", "en"]);
	await expect.poll(look).toEqual(["en", "en"]);
});
