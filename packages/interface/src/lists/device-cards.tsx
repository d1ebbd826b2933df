import { type ReactNode, useId } from "react";
import { useLanguage } from "../texts/language.ts";
import { namePlace } from "../texts/name-place.ts";
import { useWords } from "../texts/words.ts";
import type { Device } from "./devices.ts";

type DeviceCards = {
	devices: readonly Device[];
	/** A point in time as text. */
	format: (time: string) => string;
	/** The button that signs a device out; not for this one. `name` is the title of its card. */
	action: (device: Device, name: string) => ReactNode;
};

/** A person's devices as cards, with browser and system, place, sign-in, last use and applications. */
export function DeviceCards({ devices, ...shown }: DeviceCards) {
	return (
		<ul className="grid gap-4 md:grid-cols-2">
			{devices.map((device) => (
				<DeviceCard key={device.sessionId} device={device} {...shown} />
			))}
		</ul>
	);
}

function DeviceCard({ device, format, action }: Omit<DeviceCards, "devices"> & { device: Device }) {
	const { devices: words } = useWords();
	const language = useLanguage();
	const titleId = useId();
	const { name = words.unknown, place, isThis, signedInAt, lastUsedAt, uses } = device;
	return (
		<li
			aria-labelledby={titleId}
			className="flex min-w-0 flex-col rounded-xl border border-hair bg-field p-4 sm:p-5"
		>
			<div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
				<p id={titleId} className="text-lg font-semibold wrap-anywhere">
					{name}
				</p>
				{isThis && <span className="rounded-md bg-done-wash px-2 py-0.5 text-done">{words.thisDevice}</span>}
			</div>
			<dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
				{place !== undefined && (
					<>
						<dt className="text-quiet">{words.place}</dt>
						<dd className="min-w-0 wrap-anywhere">{namePlace(place, language)}</dd>
					</>
				)}
				<dt className="text-quiet">{words.signedIn}</dt>
				<dd>{format(signedInAt)}</dd>
				<dt className="text-quiet">{words.lastUsed}</dt>
				<dd>{format(lastUsedAt)}</dd>
				<dt className="text-quiet">{words.applications}</dt>
				<dd className="min-w-0">
					<ul>
						{uses.map(({ application, tenant }) => (
							<li key={`${application} ${tenant}`} className="wrap-anywhere">
								{application} <span className="text-quiet">{tenant}</span>
							</li>
						))}
					</ul>
				</dd>
			</dl>
			{!isThis && <div className="mt-4 flex grow items-end">{action(device, name)}</div>}
		</li>
	);
}
