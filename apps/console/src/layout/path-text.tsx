import { Fragment } from "react";

/** A path that is broken after a slash or an underscore where it does not fit on a line. */
export function PathText({ path }: { path: string }) {
	return path.split(/(?<=[/_])/).map((part, index) => (
		// biome-ignore lint/suspicious/noArrayIndexKey: the parts of a path do not move
		<Fragment key={index}>
			{index > 0 && <wbr />}
			{part}
		</Fragment>
	));
}
