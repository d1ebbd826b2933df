import { type Column, DataTable, RowName } from "@lango/interface";
import { useQuery } from "@tanstack/react-query";
import { ConfirmButton } from "../../dialogs/confirm-button.tsx";
import { wholeOf } from "../../inbox/inbox.queries.ts";
import { Section } from "../../layout/section.tsx";
import { Loaded } from "../../notices/loaded.tsx";
import { usePlatform } from "../../platform.ts";
import { useFormat } from "../../tenant/use-format.ts";
import { wordFor } from "../../texts/texts.ts";
import { type Device, type Own, ownListQuery, preferencesKey } from "./preference.queries.ts";
import { usePreferenceTexts } from "./texts.ts";

const path = "devices";

/** The devices to which push notifications go. Apps register them. */
export function Devices({ own }: { own: Own }) {
	const platform = usePlatform();
	const words = usePreferenceTexts();
	const format = useFormat();
	const query = useQuery(ownListQuery<Device>(platform, own, path));
	const columns: Column<Device>[] = [
		{
			head: words.device,
			cell: (device) => (
				<RowName detail={device.token_masked}>{wordFor(words.platforms, device.platform)}</RowName>
			),
		},
		{ head: words.since, cell: ({ created_at }) => format.time(created_at) },
		{
			...{ head: words.actions, isHeadHidden: true, isNumber: true },
			cell: ({ id, token_masked }) => (
				<ConfirmButton
					texts={words.removeDevice}
					isDestructive
					name={token_masked}
					action={() =>
						platform.client.call(`${own.address}/${path}/${id}`, {
							...wholeOf(platform, own.slug),
							method: "DELETE",
						})
					}
					invalidates={preferencesKey(own.slug, path)}
					messages={words.errors}
				/>
			),
		},
	];
	return (
		<Section title={words.devices} lead={words.devicesLead}>
			<Loaded query={query}>
				{(devices) => (
					<DataTable
						caption={words.devices}
						columns={columns}
						rows={devices}
						keyOf={({ id }) => id}
						empty={words.noDevices}
					/>
				)}
			</Loaded>
		</Section>
	);
}
