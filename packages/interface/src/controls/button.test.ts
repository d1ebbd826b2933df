import { expect, test, vi } from "vitest";
import { Button } from "./button.tsx";

test("a busy button keeps the focus, is announced as busy, and ignores clicks", () => {
	const onClick = vi.fn();
	const { props } = Button({ type: "submit", onClick, busyText: "One moment…", children: "Send" });
	expect(props).toMatchObject({ "aria-disabled": true, children: "One moment…" });
	expect(props).not.toHaveProperty("disabled");
	const preventDefault = vi.fn();
	props.onClick({ preventDefault });
	expect(onClick).not.toHaveBeenCalled();
	expect(preventDefault).toHaveBeenCalledOnce();
});

test("a button that is not busy does its work", () => {
	const onClick = vi.fn();
	expect(Button({ onClick, children: "Send" }).props).toMatchObject({ onClick, children: "Send" });
});
