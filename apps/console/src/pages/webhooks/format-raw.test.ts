import { expect, test } from "vitest";
import { formatRaw } from "./format-raw.ts";

test("JSON is indented, and long numbers keep every digit", () => {
	const raw = '{"id":12345678901234567890,"text":"a, {b}","list":[1,{"c":[]}],"none":{}}';
	const shown = formatRaw(raw);
	expect(shown).toBe(
		`{
  "id": 12345678901234567890,
  "text": "a, {b}",
  "list": [
    1,
    {
      "c": []
    }
  ],
  "none": {}
}`,
	);
});

test.each(["TransID=1&x=2", "{broken", ""])("the text %o is shown as it is", (raw) => {
	expect(formatRaw(raw)).toBe(raw);
});
