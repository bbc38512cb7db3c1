// SPDX-License-Identifier: Apache-2.0
// A process, a case, people and services whose every text is hostile: markup,
// script, right-to-left, very long.  The page shows them as text, in every view.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { incidents, served, until } from './failing';
import { accessible, chapter, check, story } from './story';

chapter('hostile');

const attack = '<img src="x" onerror="window.attacked=1"><script>window.attacked=1</script>\u202e"\'`${7*7}{{7*7}}';
const long = 'Very long name without an end '.repeat(12);
const xml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

const specification = `<?xml version="1.0" encoding="UTF-8"?>
<specificationSet xmlns="http://www.yawlfoundation.org/yawlschema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="4.0">
  <specification uri="HostileTexts">
    <name>${xml(attack)}</name>
    <documentation>${xml(attack + long)}</documentation>
    <metaData><title>${xml(attack)}</title><description>${xml(attack)}</description><version>0.1</version><identifier>UID_hostile_console</identifier></metaData>
    <schema xmlns="http://www.w3.org/2001/XMLSchema"/>
    <decomposition id="Net" isRootNet="true" xsi:type="NetFactsType">
      <inputParam><index>0</index><name>note</name><type>string</type><namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>
      <processControlElements>
        <inputCondition id="i"><name>${xml(attack)}</name><flowsInto><nextElementRef id="Do"/></flowsInto></inputCondition>
        <task id="Do"><name>${xml(attack)}</name><documentation>${xml(attack)}</documentation><flowsInto><nextElementRef id="Long"/></flowsInto><join code="xor"/><split code="and"/>
          <startingMappings><mapping><expression query="&lt;note&gt;{/Net/note/text()}&lt;/note&gt;"/><mapsTo>note</mapsTo></mapping></startingMappings>
          <completedMappings><mapping><expression query="&lt;note&gt;{/Do/note/text()}&lt;/note&gt;"/><mapsTo>note</mapsTo></mapping></completedMappings>
          <decomposesTo id="Do"/></task>
        <task id="Long"><name>${xml(long)}</name><flowsInto><nextElementRef id="o"/></flowsInto><join code="xor"/><split code="and"/></task>
        <outputCondition id="o"/>
      </processControlElements>
    </decomposition>
    <decomposition id="Do" xsi:type="WebServiceGatewayFactsType">
      <name>${xml(attack)}</name>
      <inputParam><index>0</index><name>note</name><type>string</type><namespace>http://www.w3.org/2001/XMLSchema</namespace></inputParam>
      <outputParam><index>0</index><name>note</name><type>string</type><namespace>http://www.w3.org/2001/XMLSchema</namespace></outputParam>
      <externalInteraction>manual</externalInteraction>
    </decomposition>
  </specification>
</specificationSet>`;

story('whatever others have written is text', async (scene) => {
  const { server } = scene;
  await server.rest('POST', '/v1/specifications', specification);
  const id = await server.startCase('HostileTexts', { note: attack + long }, attack + long);
  const plain = await server.startCase('HostileTexts', { note: '\u202e\u0647\u0630\u0627 \u0646\u0635' }, '\u0647\u0630\u0627 \u0639\u0646\u0648\u0627\u0646 \u0637\u0648\u064a\u0644 \u{1f600}');
  await server.rest('POST', `/v1/cases/${id}/comments`, { text: attack });
  await server.rest('POST', `/v1/cases/${id}/suspend`, { reason: attack });
  await server.rest('POST', `/v1/cases/${id}/resume`, { reason: long });
  await server.rest('POST', `/v1/cases/${id}/documents?name=${encodeURIComponent('<img src=x onerror=alert(1)>.txt')}`, attack);
  await server.rest('PUT', '/v1/filters/hostile', { view: 'cases', name: attack.slice(0, 90), query: 'q=hostile', shared: true });
  // A service that answers with markup; its incident shows what it said.
  const service = createServer((_, response) => response.writeHead(500, { 'Content-Type': 'text/html' }).end(attack + long));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const uri = `http://127.0.0.1:${(service.address() as AddressInfo).port}/${encodeURIComponent(attack)}`;
  await server.rest('PUT', '/v1/services/answers', { uri, kind: 'push', attempts: 1, secret: 'sixteen bytes and more' });
  await server.rest('POST', '/v1/specifications', served('HostileAnswers', uri));
  const failing = await server.startCase('HostileAnswers', undefined, attack);
  check('the call has failed', await until(async () => (await incidents(server, 'HostileAnswers')).length === 1));
  const incident = (await incidents(server, 'HostileAnswers'))[0]?.incident ?? 0;
  service.close();
  await server.rest('PUT', '/v1/services/hostile', { uri: `http://127.0.0.1:9/${encodeURIComponent(attack)}`, kind: 'push', documentation: attack + long, secret: 'sixteen bytes and more' });
  await server.rest('POST', '/v1/people', { user: 'mallory', firstName: attack, lastName: long, description: attack });
  const items = (await server.rest('GET', `/v1/items?case=${id}`)) as { items: { item: string }[] };
  const item = items.items[0]!.item;

  const visitor = await scene.visitor('admin', '/overview');
  const { page } = visitor;
  // Each shows the attack, as it is; the others are only to be harmless.
  const shown = [
    '/cases?q=window', `/cases/${id}`, ...['data', 'history', 'items', 'comments'].map((tab) => `/cases/${id}?tab=${tab}`),
    '/processes', '/processes/HostileTexts', '/processes/HostileTexts?tab=source', '/services/hostile',
    '/people/people', '/people/people/mallory', `/incidents/${incident}`,
  ];
  const harmless = [
    '/overview', '/work?view=unoffered', `/work/${encodeURIComponent(item)}`, `/cases/${plain}`, `/cases/${failing}?tab=incidents`, `/cases/${id}?tab=documents`,
    '/processes/HostileTexts?tab=check', '/incidents', '/services', '/people/accounts', '/people/audit', '/live', '/server', '/operations',
  ];
  for (const address of [...shown, ...harmless]) {
    await page.goto(server.base + address);
    await page.locator('main h1, main h2, main [role=alert]').first().waitFor();
    await page.locator('.skeleton').first().waitFor({ state: 'detached' });
    if (shown.includes(address)) await page.getByText('<img src="x"').locator('visible=true').first().waitFor();
    const made = await page.evaluate(() => ({
      attacked: 'attacked' in window,
      images: document.querySelectorAll('img[src="x"]').length,
      wide: document.documentElement.scrollWidth > innerWidth + 1,
    }));
    check(`${address}: nothing of others became markup`, !made.attacked && made.images === 0, made);
    check(`${address}: nothing is wider than the window`, !made.wide);
  }
  await page.goto(`${server.base}/cases/${id}`);
  await page.getByText(attack.slice(0, 30)).first().waitFor();
  await accessible(visitor, 'a hostile case');
  await visitor.picture('hostile-case');
});

story('reasons of operations and names of an organisation are text', async (scene) => {
  const { server } = scene;
  const backwards = '\u202e\u05e9\u05dc\u05d5\u05dd <b>no</b>';
  const role = attack.slice(0, 60);
  await server.rest('POST', '/v1/roles', { name: role, description: long, notes: attack });
  await server.rest('POST', '/v1/roles', { name: backwards, belongsTo: role });
  await server.rest('POST', '/v1/groups', { name: long.slice(0, 200), description: attack });
  await server.rest('POST', '/v1/positions', { title: attack.slice(0, 70), group: long.slice(0, 200) });
  await server.rest('POST', '/v1/capabilities', { name: attack.slice(0, 80), description: backwards });
  const { id: person } = (await server.rest('POST', '/v1/people', { user: 'mafalda', firstName: backwards, lastName: attack, description: long, roles: [role, backwards], positions: [attack.slice(0, 70)], capabilities: [attack.slice(0, 80)] })) as { id: string };
  const made: string[] = [];
  for (const reason of [attack, backwards, long]) {
    const id = await server.startCase('BusinessTrip', undefined, attack);
    const { operation } = (await server.rest('POST', '/v1/operations', { kind: 'suspend', cases: [id], reason })) as { operation: number };
    made.push(`/operations/${operation}`);
  }
  const visitor = await scene.visitor('admin', '/operations');
  const { page } = visitor;
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    for (const address of ['/operations', ...made, '/people/roles', '/people/positions', '/people/groups', '/people/capabilities', '/people/people', `/people/people/${person}`]) {
      await page.goto(server.base + address);
      await page.locator('main h1, main h2').first().waitFor();
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      if (address !== made[2] && address !== '/people/groups') await page.getByText(address === made[1] ? '<b>no</b>' : '<img src="x"').locator('visible=true').first().waitFor();
      const seen = await page.evaluate(() => ({ attacked: 'attacked' in window, made: document.querySelectorAll('img[src="x"], main b').length, wide: document.documentElement.scrollWidth > innerWidth }));
      check(`${address} at ${width}: it is text, and fits`, !seen.attacked && seen.made === 0 && !seen.wide, seen);
    }
    await accessible(visitor, `a hostile person, ${width}`);
  }
  await visitor.picture('hostile-person');
});
