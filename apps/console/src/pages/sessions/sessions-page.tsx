import type { OwnSession } from "@lango/contracts";
import { type Device, DeviceCards, devicesOf } from "@lango/interface";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { Page } from "../../layout/page.tsx";
import { useWholeList } from "../../lists/searched-list.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { useSessionTexts } from "./texts.ts";

const key = ["sessions"];

/** `/{slug}/sessions`: the devices on which the user is signed in. One or all others can be signed out. */
export function SessionsPage() {
	const platform = usePlatform();
	const words = useSessionTexts();
	const format = useFormat();
	const address = `${platform.settings.authUrl}/api/v1/auth/sessions`;
	const list = useWholeList<OwnSession>({ key, address });
	const hasOthers = devicesOf(list.data ?? []).length > 1;
	const endAll = hasOthers && (
		<ConfirmButton
			texts={words.endAll}
			isDestructive
			action={() => platform.client.call(address, { method: "DELETE" })}
			invalidates={key}
		/>
	);
	return (
		<Page title={words.title} lead={words.lead(format.zoneName)} actions={endAll}>
			<Loaded query={list} isMain>
				{(sessions) => (
					<DeviceCards
						devices={devicesOf(sessions)}
						format={format.time}
						action={(device, name) => <EndButton address={address} device={device} name={name} />}
					/>
				)}
			</Loaded>
		</Page>
	);
}

function EndButton({ address, device, name }: { address: string; device: Device; name: string }) {
	const { client } = usePlatform();
	const format = useFormat();
	const words = useSessionTexts();
	const { sessionId, isBrowser, lastUsedAt } = device;
	const query = isBrowser ? { browser: true } : {};
	return (
		<ConfirmButton
			texts={{ ...words.end, labelOf: () => words.end.labelOf(name, format.time(lastUsedAt)) }}
			isDestructive
			name={name}
			action={() => client.call(`${address}/${encodeURIComponent(sessionId)}`, { method: "DELETE", query })}
			invalidates={key}
		/>
	);
}
